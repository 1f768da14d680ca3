/** Says how many people a suggestion of an explanation affects, for the console and the command line. */
import type { AffectedPeople } from '../generated/operations.ts'

/** “Lets in 1 person.”, “Ends the access of at least 3 people.” `ends`: it ends access. */
export function affectedInWords({ count, exact, everyone }: AffectedPeople, ends: boolean): string {
  const verb = ends ? 'Ends the access of' : 'Lets in'
  const people = `${count.toLocaleString('en')} ${count === 1 ? 'person' : 'people'}`
  if (everyone) return `${verb} everyone without a grant: at least ${people}.`
  return `${verb} ${exact ? '' : 'at least '}${people}.`
}
