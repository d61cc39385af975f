package casesvc

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Config holds case-svc's settings.
type Config struct {
	Addr         string `env:"CASE_ADDR" envDefault:"127.0.0.1:8084" help:"listen address"`
	InternalAddr string `env:"CASE_INTERNAL_ADDR" help:"listen address of health and metrics; none by default"`
	Database     string `env:"CASE_DATABASE" envDefault:"subrosa_case" help:"name of the database"`
	InFlight     int    `env:"CASE_IN_FLIGHT" envDefault:"200" least:"1" help:"requests served at once"`
	// SpoolDir by default is a new folder that is removed at the end.
	SpoolDir      string `env:"CASE_SPOOL_DIR" help:"folder for uploads on their way, used by this process alone; by default a new one, removed at the end"`
	FileBytes     int64  `env:"CASE_MAX_FILE_BYTES" envDefault:"26214400" least:"1" help:"most bytes of one file"`
	Pages         int    `env:"CASE_MAX_FILE_PAGES" envDefault:"2000" least:"1" help:"most pages of one file"`
	Files         int    `env:"CASE_MAX_FILES" envDefault:"500" least:"1" help:"most files of a case"`
	CaseBytes     int64  `env:"CASE_MAX_CASE_BYTES" envDefault:"2147483648" least:"1" help:"most bytes of all files of a case"`
	FilesAtOnce   int    `env:"CASE_MAX_UPLOAD_FILES" envDefault:"10" least:"1" help:"most files of one upload"`
	UploadsAtOnce int    `env:"CASE_UPLOADS_AT_ONCE" envDefault:"8" least:"1" help:"most uploaded files checked at once"`
	// UploadsOpen are shared among tenants, and those of a tenant among its callers.
	UploadsOpen      int `env:"CASE_UPLOADS_OPEN" envDefault:"64" least:"1" help:"most uploads received at once, shared among tenants and their callers"`
	UploadsPerCaller int `env:"CASE_UPLOADS_PER_CALLER" envDefault:"2" least:"1" help:"most uploads received at once from one caller"`
	// SpoolBytes holds uploads while they are received and checked, and one file at least.
	SpoolBytes      int64         `env:"CASE_SPOOL_BYTES" envDefault:"209715200" least:"1" help:"most bytes of uploads being received or checked; at least the size of one file"`
	UploadWait      time.Duration `env:"CASE_UPLOAD_WAIT" envDefault:"5s" help:"how long an uploaded file may wait for its check"`
	CheckTimeout    time.Duration `env:"CASE_CHECK_TIMEOUT" envDefault:"35s" least:"1ns" help:"time limit to read and check one file"`
	Progress        time.Duration `env:"CASE_PROGRESS_TIMEOUT" envDefault:"30s" least:"1ms" help:"time limit of one read or write during a transfer"`
	IndexBytes      int           `env:"CASE_INDEX_BYTES" envDefault:"268435456" least:"1" help:"bytes of memory for the search indexes of recently used cases"`
	ModelLocal      bool          `env:"CASE_MODEL_LOCAL" envDefault:"false" help:"whether the operator runs the language model; the same value as AGENT_MODEL_LOCAL"`
	ModelConfigured bool          `env:"CASE_MODEL_CONFIGURED" envDefault:"false" help:"whether a language model is configured, as workspaces report it"`
	SweepEvery      time.Duration `env:"CASE_SWEEP_EVERY" envDefault:"1m" least:"1ms" help:"how often expired and half-finished work is cleaned up"`
	Line            int           `env:"CASE_LINE" envDefault:"8" least:"0" help:"most phases that wait for one branch"`
	// FeedLag is longer than any write takes and than clocks differ, so that the feed misses no change.
	FeedLag time.Duration `env:"CASE_FEED_LAG" envDefault:"3s" help:"how old a change must be before updatedSince returns it: longer than writes take and clocks differ, so that none is missed"`
	// CursorKey by default is derived from INTERNAL_KEY.
	CursorKey config.Secret `env:"CASE_CURSOR_KEY" help:"secret that protects list cursors, the same on all replicas; derived from INTERNAL_KEY by default"`

	config.Public
	config.PeerTLS
	config.Debugging
	config.Common
	config.Documents
	PartyURL string `env:"PARTY_URL,required" help:"address of party-svc"`
}

// service names the service and its database.
func (c Config) service() mongox.Service {
	return mongox.Service{
		Documents: c.Documents,
		Name:      "case-svc",
		Database:  c.Database,
		Setting:   "CASE_DATABASE",
	}
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := append(c.Public.Problems(), config.CursorProblems("CASE_CURSOR_KEY", c.CursorKey)...)
	if c.SpoolBytes < c.FileBytes {
		all = append(all, "CASE_SPOOL_BYTES must be at least CASE_MAX_FILE_BYTES")
	}

	return append(all, c.PeerTLS.Problems(map[string]string{"PARTY_URL": c.PartyURL})...)
}
