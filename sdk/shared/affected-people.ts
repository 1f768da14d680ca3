/** Says how many people a suggestion of an explanation affects, for the console and the command line. */
import type { AffectedPeople } from '../generated/operations.ts'

/** “Lets in 1 person.”, “Ends the access of at least 3 people, and lets in 1 other.” `ends`: it ends access. */
export function affectedInWords({ count, exact, everyone, others = 0 }: AffectedPeople, ends: boolean): string {
  const [verb, opposite] = ends ? ['Ends the access of', 'lets in'] : ['Lets in', 'ends the access of']
  const people = `${count.toLocaleString('en')} ${count === 1 ? 'person' : 'people'}`
  const also =
    others === 0 ? '' : `, and ${opposite} ${others.toLocaleString('en')} ${others === 1 ? 'other' : 'others'}`
  if (everyone) return `${verb} everyone without a grant: at least ${people}${also}.`
  return `${verb} ${exact ? '' : 'at least '}${people}${also}.`
}
