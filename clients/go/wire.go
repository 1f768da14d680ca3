package commonhold

// What is sent and received, as bytes.

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// isSuccess finds out whether a response says that the call succeeded. Another program may respond with any JSON, and
// absent fields would read as false, zero and empty lists.
func isSuccess(text []byte) bool {
	var envelope struct{ Result *struct{ Status string } }
	return json.Unmarshal(text, &envelope) == nil && envelope.Result != nil && envelope.Result.Status == "success"
}

// bodyOf returns a request as JSON. It refuses a text that is not UTF-8: json.Marshal replaces its bytes, which would
// make one id of two.
func bodyOf(request any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err == nil && hasReplaced(body) {
		err = errors.New(`the request has a text that is not UTF-8, or the escape \ufffd in JSON of its own`)
	}
	return body, err
}

// hasReplaced finds the escape that json.Marshal writes for bytes that are not UTF-8. The character itself is not escaped.
func hasReplaced(body []byte) bool {
	text := string(body)
	for at := strings.IndexByte(text, '\\'); at >= 0; at = strings.IndexByte(text, '\\') {
		if strings.HasPrefix(text[at:], `\ufffd`) {
			return true
		}
		text = text[at+2:]
	}
	return false
}

// isKey finds out whether a header can have an idempotency key, and the server accepts it.
func isKey(key string) bool {
	return key != "" && len(key) <= 255 && key == strings.TrimSpace(key) && isPrintable(key)
}

// unsendable returns the name of a header whose value cannot be sent, and "" if there is none.
func unsendable(headers http.Header) string {
	for name, values := range headers {
		if !isPrintable(strings.Join(values, "")) {
			return name
		}
	}
	return ""
}

func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(char rune) bool { return char < ' ' || char > '~' })
}
