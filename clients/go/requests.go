package commonhold

// Requests that are written as JSON.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// FromJSON returns the request that a JSON text has. Unlike json.Unmarshal it refuses what the request cannot hold, and
// so would not be sent: with a misspelt expiresAt, a grant would never expire. What it refuses may be a field, a null, or
// a number with more digits than a float64 has.
func FromJSON[Request any](text string) (Request, error) {
	var request Request
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return request, err
	}
	sent, err := bodyOf(request)
	if err != nil {
		return request, err
	}
	if field := lost(numbered([]byte(text)), numbered(sent), ""); field != "" {
		return request, fmt.Errorf("commonhold: %T cannot hold %s of the JSON", request, strings.TrimPrefix(field, "."))
	}
	return request, nil
}

// numbered returns the value of a valid JSON text, with its numbers as they are written.
func numbered(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

// lost returns the path of the first part of a value that another one does not have, and "" if there is none.
func lost(written, sent any, path string) string {
	switch written := written.(type) {
	case map[string]any:
		others, isObject := sent.(map[string]any)
		if !isObject {
			return path
		}
		for name, value := range written {
			other, isSent := others[name]
			if !isSent {
				return path + "." + name
			}
			if field := lost(value, other, path+"."+name); field != "" {
				return field
			}
		}
		return ""
	case []any:
		others, isList := sent.([]any)
		if !isList || len(others) != len(written) {
			return path
		}
		for at, value := range written {
			if field := lost(value, others[at], path+"["+strconv.Itoa(at)+"]"); field != "" {
				return field
			}
		}
		return ""
	case json.Number:
		if other, isNumber := sent.(json.Number); isNumber && isSame(written, other) {
			return ""
		}
		return path
	}
	if reflect.DeepEqual(written, sent) {
		return ""
	}
	return path
}

// isSame compares numbers that may be written differently, such as 1 and 1.0.
func isSame(one, other json.Number) bool {
	first, err := one.Int64()
	second, otherErr := other.Int64()
	if err == nil && otherErr == nil {
		return first == second
	}
	float, err := one.Float64()
	otherFloat, otherErr := other.Float64()
	return err == nil && otherErr == nil && float == otherFloat
}
