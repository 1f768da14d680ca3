/** Loads the code of a view, and waits for the server when it is unreachable. */
import { whenReachable } from '../../session/reachability.ts'
import { isServerReachable } from '../../session/session.ts'

/**
 * Throws when the server responds but does not have the file: it has a newer build then, and the page must be reloaded.
 * Some browsers never request a failed module again; the router reloads the page for those.
 */
export async function loadView<View>(load: () => Promise<View>): Promise<View> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await isServerReachable()) throw error
      await whenReachable()
    }
  }
}

/** Recognizes the error of a failed import by the messages of the browsers. */
export const isLoadError = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)
