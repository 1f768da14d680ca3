/** The reasons that single operations declare. */
import { writes } from '../core/operation.ts'
import type { Reason } from './common-reasons.ts'

export const OPERATION_REASONS: Readonly<Record<string, Reason>> = {
  access_role_in_use: {
    statuses: ['FAILED_PRECONDITION'],
    meaning:
      'The API key cannot drop the role `commenter`: grants, pending invitations or its `defaultAccessRole` have it. `details` has their numbers; nothing was changed.',
    next: 'Give these grants another role or remove them, answer or renew the invitations, and change `defaultAccessRole`.',
  },
  access_role_missing: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'The role of the user on the document is not enough: writing comments needs `commenter` or `editor`, and sharing needs `editor` by a grant or membership.',
    next: 'Let the user only read, or give the role.',
  },
  activities_off: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'Activities are switched off for the API key.',
    next: 'Call `workspace/activityconfig/update` with `activityServiceConfig.isEnabled: true`.',
  },
  activity_immutable: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'An activity with this id exists and is immutable; nothing was recorded.',
    next: 'Use another id, or none.',
  },
  advanced_webhooks_disabled: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'Signed webhooks are switched off.',
    next: 'Call `workspace/advancedwebhookconfig/update` with `isEnabled: true`.',
  },
  agent_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The call names an agent of the service, of which there are none; nothing was stored.',
    next: "Name your own agents with `agentSource: 'external'`.",
  },
  api_key_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The workspace has no such API key.',
    next: '`workspace/apikeys/get` lists the existing ones.',
  },
  api_key_name_wrong: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: '`apiKeyName` is not the name of the API key; nothing was deleted.',
    next: 'Send the name as `workspace/apikeys/get` returns it.',
  },
  author_without_access: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'With `verifyUserPermissions`: an author has no access to the document; nothing was stored.',
    next: 'Give the author access, and repeat the call.',
  },
  auth_token_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no auth token with this id.',
    next: '`workspace/authtokens/get` lists the valid ones.',
  },
  comment_exists: {
    statuses: ['ALREADY_EXISTS'],
    meaning: 'A comment of the thread has this number: `commentIds` in `details`. Nothing was added.',
    next: 'Change it with `commentannotations/comments/update`, or send the comment without a number.',
  },
  document_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such document.',
    next: 'Add it with `organizations/documents/add`, or check its id and organization.',
  },
  document_was_migrated: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The document was migrated to a new id: `migratedTo` in `details`.',
    next: 'Use the new id from now on. Adding the old id again creates another document.',
  },
  domain_request_answered: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The request was answered already, in the opposite way.',
    next: 'Change the allowed domains with `workspace/domains/add` or `workspace/domains/delete`.',
  },
  domain_request_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such request for a domain.',
    next: '`workspace/requested/domains/get` lists the existing ones.',
  },
  email_domain_refused: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The address belongs to a disposable e-mail service.',
    next: 'Use a permanent address.',
  },
  field_not_implemented: {
    statuses: ['UNIMPLEMENTED'],
    meaning: 'The field belongs to a feature that Commonhold does not have.',
    next: 'Omit the field, or ask the operator to set `STRICT_FIELDS=false`, which ignores it.',
  },
  folder_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such folder.',
    next: 'Add it with `organizations/folders/add`, or check its id and organization.',
  },
  invitation_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'There is no invitation of this address to the resource.',
    next: '`users/invite/get` lists the invitations of the organization.',
  },
  invitation_email_differs: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The user who accepts has another e-mail address than the invitation; nothing was changed.',
    next: 'Invite the address of the user, or accept as the user who has the invited address.',
  },
  invitation_not_pending: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The invitation was accepted, rejected or withdrawn before: `status` in `details`.',
    next: 'Invite the person again with `users/invite/add`.',
  },
  invitation_role_differs: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: '`user.accessRole` is not the role of the invitation, which the inviter decides; nothing was changed.',
    next: 'Omit `user.accessRole`, or renew the invitation with the other role.',
  },
  last_owner: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'This is the only owner of the workspace; nothing was changed.',
    next: 'Make somebody else an owner first, with `workspace/operators/update`.',
  },
  last_workspace_token: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'This is the only valid token of the workspace that does not expire; nothing was revoked.',
    next: 'First create another token without an expiry, or replace all tokens with `workspace/token/reset`.',
  },
  mail_server_missing: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The API key sends through the mail server of the installation, which has none.',
    next: 'Ask the operator to set `SMTP_URL`, or send through a provider (`workspace/emailconfig/update`).',
  },
  migration_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such migration.',
    next: '`organizations/documents/migrations/list` lists the existing ones.',
  },
  no_access_to_document: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'With `verifyUserPermissions`: some authors have no access to the document. `details` has the result of each thread; those with `success: true` were added.',
    next: 'Give the authors access, and add only the denied threads again.',
  },
  no_workspace_token: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The call was made in the console session of an operator, who has no token of the workspace.',
    next: 'Create one with `workspace/token/create`.',
  },
  operator_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The workspace has no operator with this id.',
    next: '`workspace/operators/get` lists the existing ones.',
  },
  operator_exists: {
    statuses: ['ALREADY_EXISTS'],
    meaning: 'The address belongs to an operator who has already signed in.',
    next: 'Change the operator with `workspace/operators/update`. If they can no longer sign in, remove them and invite them again.',
  },
  organization_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such organization.',
    next: 'Add it with `organizations/add`, or send `createOrganization: true` where the call accepts it.',
  },
  other_operator: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      '`weeklyFindings: true` was sent by a token of the workspace, or about another operator; nothing was changed.',
    next: 'Let the operators themselves switch it on: in the console under *Your account*, or with `commonhold operator update` after `commonhold login`.',
  },
  other_user: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'A call with a user token is about another user.',
    next: 'Call with an auth token, from your own server.',
  },
  own_access_would_end: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'After the change, the user who shares could not share the document any more; nothing was changed.',
    next: 'Ask the user, and repeat the call with `allowLosingOwnAccess: true`.',
  },
  permission_provider_failed: {
    statuses: ['UNAVAILABLE'],
    meaning:
      'With a user token: the stored grants do not allow everything that was asked, and the permission provider of the API key gave no valid answer; `details.cause` says why. Nothing was stored.',
    next: 'Retry with increasing pauses. If it persists, look at the provider, or switch it off with `workspace/permissionproviderconfig/update`.',
  },
  region_unknown: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The installation stores no new data in the region.',
    next: 'Use a region that the message names, or none.',
  },
  resource_does_not_exist: {
    statuses: ['INVALID_ARGUMENT', 'NOT_FOUND'],
    meaning:
      'A resource does not exist. INVALID_ARGUMENT from calls that grant with a key that has `requireKnownResources`, from `users.add` about `parentFolderId`, and from `permissions.simulate`; NOT_FOUND from `permissions.get`.',
    next: 'Add it first; `details` names it. `permissions.get` succeeds nevertheless with `skipResourceExistenceValidation`.',
    of: (operation, status) =>
      (status === 'INVALID_ARGUMENT') === (writes(operation) || operation.name === 'permissions.simulate'),
  },
  sharing_exceeds_own_access: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'A grant, or a role that would count when a weaker grant ends, would last longer than the access of the user who shares; `details` names it. Nothing was changed.',
    next: 'Give an `expiresAt` that is no later than `user.expiresAt` of `auth/sharing/get`, and leave weaker grants as they are.',
  },
  sharing_target_unknown: {
    statuses: ['INVALID_ARGUMENT'],
    meaning:
      'The user may not share with a `userId` or `groupId` of the call: it is no member or user group of the organization, and has no access yet. `details` names each; nothing was changed.',
    next: '`auth/sharing/targets/list` lists the users and groups with whom the user may share.',
  },
  sharing_with_oneself: {
    statuses: ['INVALID_ARGUMENT'],
    meaning:
      'A grant names the user who shares, or a user group of that user whose grant could outlive their own access, or the change ends a weaker grant of theirs under which a stronger role from above the document does not count: nobody gives access to themselves. Nothing was changed.',
    next: 'Ask an editor with a grant of their own on the document. To leave a document, name the own user in `removals`.',
  },
  sharing_would_lower: {
    statuses: ['FAILED_PRECONDITION'],
    meaning:
      'A grant on the document would take precedence over a stronger role that comes from above the document, or from a user group; `details` names it. Nothing was changed.',
    next: 'Change the access at its source, which `via` names.',
  },
  signup_closed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The operator has closed sign-up (`SIGNUP`).',
    next: 'Ask the operator to set `SIGNUP`, or to create the workspace for you.',
  },
  signup_token_wrong: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'Sign-up needs the token of the operator.',
    next: 'Send it as `x-service-signup-token`.',
  },
  sso_config_incomplete: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'Single sign-on cannot be on without an issuer and a client id; nothing was changed.',
    next: 'Set `issuer` and `clientId`, then `enabled`.',
  },
  sso_domain_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The domain is not one of the domains of single sign-on of the workspace.',
    next: 'Add it to `domains` with `workspace/ssoconfig/update`, then verify it.',
  },
  thread_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The document has no such thread.',
    next: '`commentannotations/get` lists the threads of a document.',
  },
  thread_full: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The thread would exceed the maximum number of comments, or of bytes; nothing was changed.',
    next: 'Start another thread; a retry does not help.',
  },
  thread_exists: {
    statuses: ['ALREADY_EXISTS'],
    meaning:
      'A thread with the id exists on the document. `details` has the result of each thread; those with `success: true` were added.',
    next: 'Change it with `commentannotations/update`, or add it under another id.',
  },
  too_many_auth_tokens: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has the maximum number of valid auth tokens.',
    next: 'Revoke one that is not used; a retry does not help.',
  },
  too_many_bytes: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The metadata of the requested records exceeds the limit of one response.',
    next: 'Request fewer ids in one call; a retry does not help.',
  },
  too_many_domain_requests: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has the maximum number of pending requests for domains.',
    next: 'Accept or reject some with `workspace/additional-url-request`; a retry does not help.',
  },
  too_many_domains: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key would exceed the maximum number of allowed domains; none was added.',
    next: 'Delete some, or use a wildcard such as `*.example.com`.',
  },
  too_many_folders: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The tree has more folders than fit in one response.',
    next: 'Use a smaller `maxDepth`, or list the folders page by page without `folderId`.',
  },
  too_many_group_users: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning:
      'The user groups of the call have together more users than one call compares, or a single larger one would get a weaker role than `editor`, which could lower the role of users who are not compared. Nothing was changed.',
    next: 'Name fewer user groups in a call. To give a weaker role to a larger user group, call `auth/permissions/grants/add` with an auth token.',
  },
  too_many_operators: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The workspace has the maximum number of operators.',
    next: 'Remove one who is no longer needed; a retry does not help.',
  },
  too_many_pairs: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The changes affect more pairs of a user and a resource than one simulation compares.',
    next: 'Simulate fewer changes in one call.',
  },
  too_many_production_keys: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: '`PRODUCTION_KEYS_PER_WORKSPACE` is reached.',
    next: 'Delete a key that is not used, or ask the operator to raise the limit.',
  },
  too_many_signing_keys: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has the maximum number of live signing keys.',
    next: 'Rotate with a shorter `gracePeriodSeconds`; 0 always works, and invalidates all earlier tokens.',
  },
  too_many_webhook_endpoints: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has the maximum number of webhook endpoints.',
    next: 'Delete one that is not used.',
  },
  too_many_webhook_messages: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The call would send more messages again than one call can; none was sent.',
    next: 'Replay less in one call: give `until`, and continue from there.',
  },
  too_much_inside: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning:
      'The folder or organization contains more folders and documents than a list of users with access to something inside can examine.',
    next: 'Ask about a folder inside, or read `auth/permissions/grants/list`, which says who holds grants.',
  },
  too_many_workspace_tokens: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The workspace has the maximum number of valid tokens.',
    next: 'Revoke one that is not used; a retry does not help.',
  },
  too_many_workspaces: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The e-mail address owns the maximum number of workspaces.',
    next: 'Use one of them: a workspace can have many API keys.',
  },
  user_disabled: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The user is disabled: they cannot sign in, and calls with their user tokens are refused.',
    next: 'Enable the user with `users/access/disablestate/update`, if they may have access again.',
  },
  user_group_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such user group.',
    next: 'Add it with `organizations/usergroups/add`, or check its id.',
  },
  user_sharing_off: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'With a user token: the API key does not let its users share, or see who has access.',
    next: 'Set `userSharing` with `workspace/apikeyconfig/update`, or call with an auth token.',
  },
  user_token_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning:
      '`authToken` is not a valid user token of `user.userId`: it is malformed, expired, revoked, or of another user.',
    next: 'Generate a token for the user with `auth/generate_token`; `auth/token/verify` says why one is not valid.',
  },
  webhook_endpoint_disabled: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The webhook endpoint is disabled: nothing is sent to it.',
    next: 'Enable it with `endpoints/update` and `disabled: false`.',
  },
  webhook_endpoint_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such webhook endpoint.',
    next: '`workspace/advancedwebhook/endpoints/get` lists the existing ones.',
  },
  webhook_endpoint_uid_taken: {
    statuses: ['ALREADY_EXISTS'],
    meaning: 'Another webhook endpoint of the API key has this `uid`.',
    next: 'Use another `uid`, or update the endpoint that has it.',
  },
  webhook_message_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such webhook message, or its event is no longer kept.',
    next: '`workspace/webhooks/attempts/list` lists messages; `EVENT_RETENTION_DAYS` is how long events are kept.',
  },
  workspace_token_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The workspace has no token with this id.',
    next: '`workspace/token/get` lists the valid ones.',
  },
  workspace_token_replaced: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'A reset has replaced the token of the call. Until its grace period ends it can do everything except change tokens, operators and single sign-on.',
    next: 'Use the token that the reset returned, or sign in to the console as an owner and create one.',
  },
  user_access_revocation_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such job.',
    next: 'Use the `jobId` that `users/access/revoke` returned, with the same API key.',
  },
  user_data_deletion_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such job.',
    next: 'Use the `jobId` that `users/data/delete` returned, with the same API key.',
  },
}
