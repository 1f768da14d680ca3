/** Exports of the workspace token feature for other features. */
export { createWorkspaceTokens } from './operations.ts'
