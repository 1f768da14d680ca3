/** The lists of files in the guide to adding an operation match the repository. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { files, isTest, read } from './sources.ts'

const GUIDE = 'docs/guides/add-an-operation.md'

const FILES = files(
  '{contract,server,cli,sdk}/**/*.ts',
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

const CASES: [heading: string, names: RegExp, of: (file: string) => boolean][] = [
  [
    'An operation: `user-groups.update`',
    /\b(?:updateUserGroups|userGroups\.update|user-groups\.update)\b|usergroups\/update\b|usergroups\/', \{[^}]*\bupdate:/,
    () => true,
  ],
  ['An event type: `folder.access_changed`', /\bfolder\.access_changed\b/, () => true],
  // Invitations have a field of the same name, which is what the inviter calls the folder.
  ['A field: `folderName` of folders', /\bfolderName\b/, (file) => !isTest(file) && !/\/invitation/.test(file)],
]

describe(GUIDE, () => {
  for (const [heading, names, isMeant] of CASES)
    it(`lists the files that name ${heading}`, () => {
      const naming = FILES.filter((file) => isMeant(file) && names.test(read(file)))
      assert.deepEqual(listed(heading), naming)
    })
})
