/** The numbers of locations, which threads and notifications show beside the ids of callers. */
import { hash } from 'node:crypto'

/** Returns the number of a location: 52 bits of the hash of its id, which every program keeps exactly. */
export const locationNumber = (id: string): number =>
  Number.parseInt(hash('sha256', `location\0${id}`).slice(0, 13), 16)
