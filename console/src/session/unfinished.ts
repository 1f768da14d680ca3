/** Asks before signing out while this page does something that would end with the session. */

/** Returns whether the person signs out all the same. */
type Ask = () => Promise<boolean>

const asks = new Set<Ask>()

/** Returns a function that stops asking. */
export function askBeforeSignOut(ask: Ask): () => void {
  asks.add(ask)
  return () => void asks.delete(ask)
}

export async function maySignOut(): Promise<boolean> {
  for (const ask of asks) if (!(await ask())) return false
  return true
}
