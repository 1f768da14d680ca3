/** What other features use of workspaces. */
export { createWorkspaces } from './operations.ts'
