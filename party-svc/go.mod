module github.com/subrosa-legal/subrosa/party-svc

go 1.26.8

replace github.com/subrosa-legal/subrosa/pkg => ../pkg
