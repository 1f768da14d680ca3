/** Exports of the workspace feature for other features. */
export { createWorkspaces } from './operations.ts'
