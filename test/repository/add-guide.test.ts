/** The lists of files in the guide to adding an operation match the repository. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { files, read } from './sources.ts'

const GUIDE = 'docs/guides/add-an-operation.md'

const FILES = files(
  '{contract,server,cli,moving,sdk}/**/*.ts',
  'contract/*.json',
  'console/src/**/*.{ts,tsx}',
  'test/{conformance,golden}/**/*.{ts,sql,json}',
  'docs/reference/*.{md,json}',
)

/** Returns the files in the list below a heading. */
function listed(heading: string): string[] {
  const [, section = ''] = read(GUIDE).split(`### ${heading}\n`)
  const [list = ''] = section.split(/^#/m)
  return [...list.matchAll(/^- `([^`]+)`/gm)].map(([, file = '']) => file).sort()
}

const CASES: [heading: string, names: RegExp][] = [
  [
    'An operation: `user-groups.update`',
    /\b(?:updateUserGroups|userGroups\.update|user-groups\.update)\b|usergroups\/update\b|usergroups\/', \{[^}]*\bupdate:/,
  ],
  ['An event type: `folder.access_changed`', /\bfolder\.access_changed\b/],
]

describe(GUIDE, () => {
  for (const [heading, names] of CASES)
    it(`lists the files that name ${heading}`, () => {
      const naming = FILES.filter((file) => names.test(read(file)))
      assert.deepEqual(listed(heading), naming)
    })
})
