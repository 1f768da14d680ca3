package commonhold_test

// The tour of the guides, against the server of COMMONHOLD_URL.

import (
	"context"
	"os"
	"testing"
	"time"

	"commonhold"
)

// must returns a result, and ends the test where there is none.
func must[Result any](result Result, err error) func(*testing.T) Result {
	return func(t *testing.T) Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

func newKey(t *testing.T, ctx context.Context, url string) *commonhold.Client {
	t.Helper()
	anybody := must(commonhold.New(url, commonhold.Anonymous()))(t)
	var workspace commonhold.WorkspacesCreateRequest
	workspace.Data.OwnerEmail, workspace.Data.Name = "ada@example.com", commonhold.Pointer("Ada")
	created := must(anybody.WorkspacesCreate(ctx, workspace))(t).Result.Data
	token := created.AuthToken
	owner := must(commonhold.New(url, commonhold.ForWorkspace(created.Id, token)))(t)
	var key commonhold.ApiKeysCreateRequest
	key.Data.OwnerEmail, key.Data.Type = "ada@example.com", "testing"
	key.Data.CreateAuthToken = commonhold.Pointer(true)
	made := must(owner.ApiKeysCreate(ctx, key))(t).Result.Data
	return must(commonhold.New(url, commonhold.ForAPIKey(made.ApiKey, *made.AuthToken)))(t)
}

func TestTour(t *testing.T) {
	url := os.Getenv("COMMONHOLD_URL")
	if url == "" {
		t.Skip("COMMONHOLD_URL names no server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client := newKey(t, ctx, url)

	var organizations commonhold.OrganizationsAddRequest
	organizations.Data.Organizations = []commonhold.OrganizationInput{{OrganizationId: "acme"}}
	must(client.OrganizationsAdd(ctx, organizations))(t)
	var folders commonhold.FoldersAddRequest
	folders.Data.OrganizationId = "acme"
	folders.Data.Folders = []commonhold.FolderInput{
		{FolderId: "plans", FolderName: commonhold.Pointer("Plans"), AccessType: commonhold.Pointer(commonhold.AccessTypeRestricted)},
	}
	must(client.FoldersAdd(ctx, folders))(t)
	var documents commonhold.DocumentsAddRequest
	documents.Data.OrganizationId, documents.Data.FolderId = "acme", commonhold.Pointer("plans")
	documents.Data.Documents = []commonhold.DocumentInput{{DocumentId: "roadmap"}, {DocumentId: "budget"}}
	added := must(client.DocumentsAdd(ctx, documents, commonhold.WithIdempotencyKey("first-documents")))(t)
	repeated := must(client.DocumentsAdd(ctx, documents, commonhold.WithIdempotencyKey("first-documents")))(t)
	for _, id := range []string{"roadmap", "budget"} {
		for _, one := range []*commonhold.DocumentsAddResponse{added, repeated} {
			if outcome := one.Result.Data[id]; !outcome.Success {
				t.Errorf("%s: %+v", id, outcome)
			}
		}
	}

	t.Run("reads lists page by page", func(t *testing.T) {
		request := commonhold.DocumentsGetRequest{}
		request.Data.OrganizationId, request.Data.PageSize = "acme", commonhold.Pointer(1)
		pages := 0
		for _, err := range commonhold.Pages(func(token *string) (*commonhold.DocumentsGetResponse, *string, error) {
			request.Data.PageToken = token
			page, err := client.DocumentsGet(ctx, request)
			if err != nil {
				return nil, nil, err
			}
			return page, page.Result.NextPageToken, nil
		}) {
			if err != nil {
				t.Fatal(err)
			}
			pages++
		}
		if pages != 2 {
			t.Errorf("%d pages", pages)
		}
	})

	plans := commonhold.GrantedResource{
		Type: "folder", Id: "plans", OrganizationId: commonhold.Pointer("acme"),
		AccessRole: commonhold.Pointer(commonhold.AccessRoleViewer),
	}
	t.Run("gives access, and says which", func(t *testing.T) {
		grant := must(commonhold.FromJSON[commonhold.PermissionsAddRequest](`{"data": {"user": {"userId": "ada"}}}`))(t)
		grant.Data.Permissions.Resources = []commonhold.GrantedResource{plans}
		must(client.PermissionsAdd(ctx, grant))(t)
		if role := roleOnRoadmap(t, ctx, client); role == nil || *role != commonhold.AccessRoleViewer {
			t.Errorf("role %v", role)
		}
	})

	t.Run("calls as a user, with a token that is asked for before each attempt", func(t *testing.T) {
		var user commonhold.UserTokensGenerateRequest
		user.Data.UserId = "ada"
		token := must(client.UserTokensGenerate(ctx, user))(t).Result.Data.Token
		asked := 0
		page := must(commonhold.New(url, commonhold.ForUser(func(context.Context) (string, error) {
			asked++
			return token, nil
		})))(t)
		check := must(commonhold.FromJSON[commonhold.PermissionsCheckRequest](
			`{"data": {"checks": [{"resource": {"type": "document", "id": "roadmap", "organizationId": "acme"}}]}}`))(t)
		if decision := must(page.PermissionsCheck(ctx, check))(t).Result.Data.Checks[0]; !decision.Allowed || asked != 1 {
			t.Errorf("%+v, asked %d times", decision, asked)
		}
	})

	t.Run("returns errors with a reason", func(t *testing.T) {
		var request commonhold.FoldersGetRequest
		request.Data.OrganizationId = "nobody"
		_, err := client.FoldersGet(ctx, request)
		if commonhold.Reason(err) != "organization_does_not_exist" {
			t.Error(err)
		}
	})
}

func roleOnRoadmap(t *testing.T, ctx context.Context, client *commonhold.Client) *commonhold.AccessRole {
	t.Helper()
	var request commonhold.PermissionsGetRequest
	request.Data.OrganizationId = "acme"
	request.Data.UserIds, request.Data.DocumentIds = &[]string{"ada"}, &[]string{"roadmap"}
	ada := must(client.PermissionsGet(ctx, request))(t).Result.Data["ada"]
	return (*ada.Documents)["roadmap"].AccessRole
}
