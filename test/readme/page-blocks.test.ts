/** Every fenced block of the README and of the guides runs in a test, or has a reason why not. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { read } from '../repository/sources.ts'
import { faultsOf, PAGES } from './page-census.ts'

const BLOCKS = {
  'a block of a language that nothing runs': '```rust\nfn main() {}\n```\n',
  'a block without a language': '```\nls\n```\n',
  'output of nothing': '```json\n{}\n```\n',
  'a block that is not run without a reason': '<!-- not run: slow -->\n```sh\nls\n```\n',
  'a block that is run by nothing': '<!-- run by: test/readme/nothing.test.ts -->\n```sh\nls\n```\n',
  'a block that is run by a test of something else': '<!-- run by: test/repository/times.test.ts -->\n```sh\nls\n```\n',
  'a block that is indented': '- a list\n\n  ```sh\n  ls\n  ```\n',
}

describe('the blocks of the README and the guides', () => {
  it('run in a test, or have a reason why not', () =>
    assert.deepEqual(
      PAGES.flatMap((page) => faultsOf(page, read(page))),
      [],
    ))

  for (const [name, text] of Object.entries(BLOCKS))
    it(`include no ${name}`, () => assert.equal(faultsOf('docs/guides/a-page.md', text).length, 1))

  it('can be commands with their output, files, and programs', () => {
    const text =
      '```sh\nls\n```\n\n```text\na\n```\n\n<!-- saved as: .env -->\n```ini\nA=b\n```\n\n```ts\nconsole.log()\n```\n'
    assert.deepEqual(faultsOf('docs/guides/a-page.md', text), [])
  })
})
