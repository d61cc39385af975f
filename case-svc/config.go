package casesvc

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
)

// Config holds case-svc's settings.
type Config struct {
	Addr             string        `env:"CASE_ADDR" envDefault:"127.0.0.1:8084" help:"listen address"`
	InternalAddr     string        `env:"CASE_INTERNAL_ADDR" help:"listen address of health and metrics; none by default"`
	Database         string        `env:"CASE_DATABASE" envDefault:"subrosa_case" help:"name of the database"`
	InFlight         int           `env:"CASE_IN_FLIGHT" envDefault:"200" least:"1" help:"requests served at once"`
	SpoolDir         string        `env:"CASE_SPOOL_DIR" help:"folder for the scratch folder of uploads, of this process alone; by default a new one that is removed at the end"`
	FileBytes        int64         `env:"CASE_MAX_FILE_BYTES" envDefault:"26214400" least:"1" help:"bytes of a file"`
	Pages            int           `env:"CASE_MAX_FILE_PAGES" envDefault:"2000" least:"1" help:"pages of a file"`
	Files            int           `env:"CASE_MAX_FILES" envDefault:"500" least:"1" help:"files of a case"`
	CaseBytes        int64         `env:"CASE_MAX_CASE_BYTES" envDefault:"2147483648" least:"1" help:"bytes of all files of a case"`
	FilesAtOnce      int           `env:"CASE_MAX_UPLOAD_FILES" envDefault:"10" least:"1" help:"files of one upload"`
	UploadsAtOnce    int           `env:"CASE_UPLOADS_AT_ONCE" envDefault:"8" least:"1" help:"uploaded files checked at once"`
	UploadsOpen      int           `env:"CASE_UPLOADS_OPEN" envDefault:"64" least:"1" help:"uploads that may be coming at once, shared by tenants and their callers"`
	UploadsPerCaller int           `env:"CASE_UPLOADS_PER_CALLER" envDefault:"2" least:"1" help:"uploads of one caller that may be coming at once"`
	SpoolBytes       int64         `env:"CASE_SPOOL_BYTES" envDefault:"209715200" least:"1" help:"bytes of uploads that are coming or being checked; at least those of a file"`
	UploadWait       time.Duration `env:"CASE_UPLOAD_WAIT" envDefault:"5s" help:"how long an uploaded file waits for its check"`
	CheckTimeout     time.Duration `env:"CASE_CHECK_TIMEOUT" envDefault:"35s" least:"1ns" help:"time to read and check one file"`
	Progress         time.Duration `env:"CASE_PROGRESS_TIMEOUT" envDefault:"30s" least:"1ms" help:"time for one read or write of a transfer"`
	IndexBytes       int           `env:"CASE_INDEX_BYTES" envDefault:"268435456" least:"1" help:"memory for the search indexes of the cases asked for last"`
	ModelLocal       bool          `env:"CASE_MODEL_LOCAL" envDefault:"false" help:"whether that model is the operator's own, as AGENT_MODEL_LOCAL says"`
	ModelConfigured  bool          `env:"CASE_MODEL_CONFIGURED" envDefault:"false" help:"whether runs have a language model, as workspaces say it"`
	SweepEvery       time.Duration `env:"CASE_SWEEP_EVERY" envDefault:"1m" least:"1ms" help:"how often what is over or was left half done is cleared up"`
	Line             int           `env:"CASE_LINE" envDefault:"8" least:"0" help:"phases that may wait for one branch"`
	FeedLag          time.Duration `env:"CASE_FEED_LAG" envDefault:"3s" help:"how old a change must be to be in the feed of updatedSince: longer than a write takes and clocks differ, so that none is missed"`
	CursorKey        config.Secret `env:"CASE_CURSOR_KEY" help:"secret of the cursors of lists, the same on all replicas; derived from INTERNAL_KEY by default"`

	config.Public
	config.PeerTLS
	config.Debugging
	PartyURL      string        `env:"PARTY_URL,required" help:"address of party-svc"`
	MongoURI      config.Secret `env:"MONGODB_URI,required" help:"address of MongoDB"`
	MongoTimeout  time.Duration `env:"MONGODB_TIMEOUT" envDefault:"2s" least:"1ms" help:"time for one call to MongoDB"`
	InternalKey   config.Secret `env:"INTERNAL_KEY,required" help:"this service's signing seed for internal tokens"`
	InternalTrust string        `env:"INTERNAL_TRUST,required" help:"path of the file with the public keys of the services"`
	DrainDelay    time.Duration `env:"DRAIN_DELAY" envDefault:"5s" help:"how long requests are served on after the stop signal"`
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := append(c.Public.Problems(), config.CursorProblems("CASE_CURSOR_KEY", c.CursorKey)...)
	if c.SpoolBytes < c.FileBytes {
		all = append(all, "CASE_SPOOL_BYTES must be at least CASE_MAX_FILE_BYTES")
	}

	return append(all, c.PeerTLS.Problems(map[string]string{"PARTY_URL": c.PartyURL})...)
}
