package commonhold_test

// The regular expressions of the document mean something in Go, too.

import (
	"os"
	"regexp"
	"testing"
)

func TestPatterns(t *testing.T) {
	document, err := os.ReadFile("../../docs/reference/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	patterns := regexp.MustCompile(`"pattern": "((?:[^"\\]|\\.)*)"`).FindAllSubmatch(document, -1)
	if len(patterns) == 0 {
		t.Error("no patterns")
	}
	for _, pattern := range patterns {
		text := regexp.MustCompile(`\\(.)`).ReplaceAllString(string(pattern[1]), "$1")
		if _, err := regexp.Compile(text); err != nil {
			t.Error(err)
		}
	}
}
