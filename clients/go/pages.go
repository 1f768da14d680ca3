package commonhold

// Pages of lists.

import "iter"

// Pages yields the pages of a list until the last one. The function makes the call with the token of the page, which is
// nil for the first, and returns the response and the token of the next page, which is nil after the last.
//
//	for page, err := range commonhold.Pages(func(token *string) (*commonhold.DocumentsGetResponse, *string, error) {
//		request.Data.PageToken = token
//		page, err := client.DocumentsGet(ctx, request)
//		if err != nil {
//			return nil, nil, err
//		}
//		return page, page.Result.NextPageToken, nil
//	}) { … }
//
// The last page of EventsList has a token too, to continue with later: return nil there when HasMore is false.
func Pages[Page any](fetch func(token *string) (Page, *string, error)) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for token := (*string)(nil); ; {
			page, next, err := fetch(token)
			if !yield(page, err) || err != nil || next == nil {
				return
			}
			token = next
		}
	}
}

// Pointer returns a pointer to a value, for optional fields.
func Pointer[Value any](value Value) *Value { return &value }
