package cli

import (
	"errors"
	"syscall"
)

// sharingViolation is the error of a file that another process has opened for itself alone.
const sharingViolation = syscall.Errno(32)

// lock takes the lock at path, or returns errHeld. Whoever holds it has the file open for itself alone.
func lock(path string) (unlock func() error, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const alone = 0
	file, err := syscall.CreateFile(
		name, syscall.GENERIC_WRITE, alone, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0,
	)
	if errors.Is(err, sharingViolation) {
		return nil, errHeld
	}
	if err != nil {
		return nil, err
	}

	return func() error { return syscall.CloseHandle(file) }, nil
}
