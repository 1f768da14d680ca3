// Package commonhold is the Go client of Commonhold, the open, self-hosted management back-end for collaborative apps.
//
// A Client has a method for each operation, with the types of the OpenAPI document. Calls are retried with one
// Idempotency-Key, errors are of type *APIError, and Pages reads lists.
package commonhold

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../docs/reference/openapi.json

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	neturl "net/url"
	"strings"
	"time"
)

// Client calls one server with one kind of credentials. It is safe for concurrent use.
type Client struct {
	url         string
	prefix      string
	credentials Credentials
	http        *http.Client
	tries       int
	delay       time.Duration
}

// Option changes a client.
type Option func(*Client)

// WithHTTPClient replaces the HTTP client, whose timeout bounds one attempt. The default allows 35 seconds.
func WithHTTPClient(client *http.Client) Option { return func(c *Client) { c.http = client } }

// WithHeaderPrefix sets the HEADER_PREFIX of the server, "service" by default.
func WithHeaderPrefix(prefix string) Option { return func(c *Client) { c.prefix = prefix } }

// WithTries sets how often a call is attempted at most, 5 times by default.
func WithTries(most int) Option { return func(c *Client) { c.tries = most } }

// New returns a client for the server at the address, such as "https://commonhold.example.com".
func New(url string, credentials Credentials, options ...Option) (*Client, error) {
	if credentials == nil {
		return nil, errors.New("commonhold: the credentials are required")
	}
	parsed, err := neturl.Parse(url)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.RawQuery != "" {
		return nil, fmt.Errorf("commonhold: the url must be the address of the server, such as https://commonhold.example.com; it is %q", url)
	}
	if parsed.User != nil || parsed.Fragment != "" {
		return nil, errors.New("commonhold: the url must be the address alone, without a user name or fragment")
	}
	if strings.Contains(parsed.Path+"/", "/v2/") {
		return nil, fmt.Errorf("commonhold: the url must be the address of the server without /v2; it is %q", url)
	}
	client := &Client{
		url:         strings.TrimRight(url, "/"),
		prefix:      "service",
		credentials: credentials,
		// A redirect could send the credentials to another server.
		http: &http.Client{
			Timeout:       35 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		tries: 5,
		delay: 250 * time.Millisecond,
	}
	for _, option := range options {
		option(client)
	}
	return client, nil
}

// Credentials are what a client authenticates with; they are asked before each attempt.
type Credentials interface {
	headers(ctx context.Context, prefix string) (http.Header, error)
}

type credentialsFunc func(ctx context.Context, prefix string) (http.Header, error)

func (f credentialsFunc) headers(ctx context.Context, prefix string) (http.Header, error) {
	return f(ctx, prefix)
}

// ForAPIKey authenticates with an API key and one of its auth tokens, for everything that a data set contains.
func ForAPIKey(key, authToken string) Credentials {
	return fixed(map[string]string{"api-key": key, "auth-token": authToken})
}

// ForWorkspace authenticates with the token of a workspace, for its API keys and operators.
func ForWorkspace(id, token string) Credentials {
	return fixed(map[string]string{"workspace-id": id, "auth-token": token})
}

// Anonymous has no credentials, for the creation of a workspace.
func Anonymous() Credentials { return fixed(nil) }

// ForUser authenticates as a user: with the token that the function returns before each attempt.
func ForUser(token func(context.Context) (string, error)) Credentials {
	return credentialsFunc(func(ctx context.Context, _ string) (http.Header, error) {
		value, err := token(ctx)
		return http.Header{"Authorization": {"Bearer " + value}}, err
	})
}

func fixed(values map[string]string) Credentials {
	return credentialsFunc(func(_ context.Context, prefix string) (http.Header, error) {
		headers := http.Header{}
		for name, value := range values {
			headers.Set("x-"+prefix+"-"+name, value)
		}
		return headers, nil
	})
}
