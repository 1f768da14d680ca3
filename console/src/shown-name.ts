/** The names of records in rows, links, titles and sentences. */
import { isVisible } from '#sdk/event-sentences/names.ts'

/** Returns the name of a record, or its id if there is no name to read and to click. */
export const shownName = (name: string | undefined, id: string): string => (isVisible(name) ? name : id)
