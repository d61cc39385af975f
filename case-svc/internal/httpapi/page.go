package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// writePage answers with a page of a list. Its tag is that of the items, since a cursor differs each time it is made.
func writePage[T any](c *gin.Context, page api.Page[T]) error {
	cursor := page.NextCursor
	page.NextCursor = nil
	body, _, err := document(page)
	if err != nil {
		return err
	}
	more := byte('0')
	if cursor != nil {
		more = '1'
	}
	sum := sha256.Sum256(append(body, more))
	if unchanged(c, `"`+hex.EncodeToString(sum[:16])+`"`) {
		return nil
	}
	page.NextCursor = cursor
	return httpx.JSON(c, http.StatusOK, page)
}
