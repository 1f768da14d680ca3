/** Loading the program of a view, also when the server goes away meanwhile: it is loaded when the server is back. */
import { isServerThere } from '../session/session.ts'

const ASK_AGAIN_MS = 2_000

/**
 * Fails when the server is there and the files are not: then it has others, and the page has to be loaded again. So it has
 * in browsers that never ask again for a file that they did not get once, which the router does by itself.
 */
export async function loaded<View>(load: () => Promise<View>): Promise<View> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await isServerThere()) throw error
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }
}

/** What a browser says of it. */
export const isNotLoaded = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)
