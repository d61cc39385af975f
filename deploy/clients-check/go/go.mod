module github.com/subrosa-legal/subrosa/deploy/clients-check/go

go 1.26.8

require github.com/GIT_USER_ID/GIT_REPO_ID v0.0.0

replace github.com/GIT_USER_ID/GIT_REPO_ID => ../generated/go
