// Makes ten calls with the client that oapi-codegen generates from the OpenAPI document, and compiles its patterns.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"

	"example.com/calls/commonhold"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// body reads a request that is written as JSON.
func body[T any](data string) (request T) {
	if err := json.Unmarshal([]byte(`{"data":`+data+`}`), &request); err != nil {
		panic(err)
	}
	return
}

func main() {
	var patterns []string
	if err := json.Unmarshal([]byte(os.Getenv("PATTERNS")), &patterns); err != nil {
		panic(err)
	}
	for _, pattern := range patterns {
		regexp.MustCompile(pattern)
	}
	credentials := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-service-api-key", os.Getenv("COMMONHOLD_API_KEY"))
		request.Header.Set("x-service-auth-token", os.Getenv("COMMONHOLD_AUTH_TOKEN"))
		return nil
	}
	client := must(commonhold.NewClientWithResponses(os.Getenv("COMMONHOLD_URL"), commonhold.WithRequestEditorFn(credentials)))
	background := context.Background()

	organizations := body[commonhold.OrganizationsAddRequest](`{"organizations":[{"organizationId":"acme"}]}`)
	fmt.Println(must(client.OrganizationsAddWithResponse(background, nil, organizations)).JSON200.Result.Data["acme"].Success)
	folders := body[commonhold.FoldersAddRequest](`{"organizationId":"acme","folders":[{"folderId":"plans"}]}`)
	fmt.Println(must(client.FoldersAddWithResponse(background, nil, folders)).JSON200.Result.Message)
	documents := body[commonhold.DocumentsAddRequest](`{"organizationId":"acme","folderId":"plans",
		"documents":[{"documentId":"plan","documentName":"Plan","accessType":"restricted","color":"red"}]}`)
	fmt.Println(must(client.DocumentsAddWithResponse(background, nil, documents)).JSON200.Result.Data["plan"].Success)
	users := body[commonhold.UsersAddRequest](`{"organizationId":"acme","users":[{"userId":"ada","name":"Ada"}]}`)
	fmt.Println(must(client.UsersAddWithResponse(background, nil, users)).JSON200.Result.Data["ada"].Success)
	grant := body[commonhold.PermissionsAddRequest](`{"user":{"userId":"bob"},
		"permissions":{"resources":[{"type":"document","id":"plan","organizationId":"acme","accessRole":"viewer"}]}}`)
	fmt.Println(must(client.PermissionsAddWithResponse(background, nil, grant)).JSON200.Result.Message)
	checks := body[commonhold.PermissionsCheckRequest](`{"checks":[
		{"userId":"bob","resource":{"type":"document","id":"plan","organizationId":"acme"}},
		{"userId":"cyd","resource":{"type":"document","id":"plan","organizationId":"acme"}}]}`)
	for _, decision := range must(client.PermissionsCheckWithResponse(background, checks)).JSON200.Result.Data.Checks {
		fmt.Println(decision.Allowed, decision.Reason)
	}
	changes := body[commonhold.DocumentsUpdateRequest](`{"organizationId":"acme","documents":[{"documentId":"plan","color":"blue"}]}`)
	fmt.Println(must(client.DocumentsUpdateWithResponse(background, nil, changes)).JSON200.Result.Data["plan"].Success)
	ids := body[commonhold.DocumentsGetRequest](`{"organizationId":"acme","documentIds":["plan","nothing"]}`)
	for _, one := range must(client.DocumentsGetWithResponse(background, ids)).JSON200.Result.Data {
		if outcome := must(one.AsItemResult()); outcome.Code != nil {
			fmt.Println(*outcome.Code)
		} else {
			fmt.Println(must(one.AsDocumentRecord()).AdditionalProperties["color"])
		}
	}
	grants := body[commonhold.GrantsListRequest](`{"organizationId":"acme"}`)
	fmt.Println(len(must(client.GrantsListWithResponse(background, grants)).JSON200.Result.Data.Grants))
	nobody := body[commonhold.DocumentsGetRequest](`{"organizationId":"nobody"}`)
	failure := must(client.DocumentsGetWithResponse(background, nobody)).JSON404.Error
	fmt.Println(failure.Status, failure.Reason)
}
