/**
 * Stand for the globals of browsers that the module uses while it is loaded, so that a server can load it too. The build
 * replaces these names in the whole module; in browsers they are what they were. Nothing is rendered on a server.
 */
const { HTMLElement = class {}, document = { createTreeWalker: () => ({}) } } = globalThis as Partial<typeof globalThis>

export { document, HTMLElement }
