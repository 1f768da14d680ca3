/** Loading the program of a view, also when the server goes away meanwhile: it is loaded when the server is back. */
import { isServerThere } from '../session/session.ts'

const ASK_AGAIN_MS = 2_000

/** Fails when the server is there and the files are not: then it has others, and the page has to be loaded again. */
export async function loaded<View>(load: () => Promise<View>): Promise<View> {
  for (let wasThere = false; ; ) {
    try {
      return await load()
    } catch (error) {
      // It may have come back since the file was asked for.
      const isThere = await isServerThere()
      if (isThere && wasThere) throw error
      if (!isThere) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
      wasThere = isThere
    }
  }
}
