/** What other features may use: they add to the usage of API keys in their own transactions. */
export { ADD_USAGE, NOTHING } from './counting-statements.ts'
