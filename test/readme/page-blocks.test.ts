/** Every fenced block of the README and of the guides runs in a test, or has a reason why not. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { blocksOf } from '#testing/pages/blocks.ts'
import { files, read } from '../repository/sources.ts'
import { faultsOf, PAGES } from './page-census.ts'
import { questionsIn } from './page-questions.ts'
import { onlyForBash } from './page-shells.ts'
import { unknownVariables } from './page-variables.ts'

const WITH_COMMANDS = [...PAGES, 'cli/README.md', 'docs/first-five-minutes.md']

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

  it('can be pasted into a terminal: no command asks a question, which the next line would answer', () =>
    assert.deepEqual(
      WITH_COMMANDS.flatMap((page) =>
        blocksOf(read(page))
          .filter(({ language, note }) => language === 'sh' && note !== 'not run')
          .flatMap((block) => questionsIn(block).map((question) => `${page}:${block.line}: ${question}`)),
      ),
      [],
    ))

  it('use only variables that the page has set or named before', () =>
    assert.deepEqual(
      WITH_COMMANDS.flatMap((page) => unknownVariables(read(page)).map((fault) => `${page}:${fault}`)),
      [],
    ))

  it('are known to use variables that the reader does not have', () => {
    const text =
      'Set `B`.\n\n```sh\nA=$B; echo $A "$C" \'$D\' "$COMMONHOLD_URL"\n```\n\n<!-- stays open -->\n```sh\nserve "$A"\n```\n'
    assert.deepEqual(unknownVariables(text), ['3: nothing before says what C is', '8: nothing before says what A is'])
  })

  it('can be pasted into zsh: no comments, no patterns without quotes, no variables of its own', () =>
    assert.deepEqual(
      [...WITH_COMMANDS, ...files('{cli,components,clients/*,examples/*}/README.md')].flatMap((page) =>
        onlyForBash(read(page)).map((command) => `${page}:${command}`),
      ),
      [],
    ))

  it('are known to be only for bash', () => {
    const text =
      "```sh\numask 077 # secrets\necho '# a' \"# b\" $#\ncat <<'END'\n# c\nEND\n# d\nlist --type permission.* --all\ncat dist/*.txt\nfor path in a b; do\n```\n"
    assert.deepEqual(onlyForBash(text), [
      '2: umask 077 # secrets',
      '7: # d',
      '8: list --type permission.* --all',
      '10: for path in a b; do',
    ])
  })

  it('are known to ask', () => {
    const asking = 'commonhold key create testing kim@example.com --save\ncommonhold org delete acme\n'
    const [block] = blocksOf(`\`\`\`sh\n${asking}\`\`\`\n`)
    assert.deepEqual(block && questionsIn(block), [
      'commonhold key create asks at a terminal: add --access',
      'commonhold org delete asks at a terminal: add --yes',
    ])
  })

  for (const [name, text] of Object.entries(BLOCKS))
    it(`include no ${name}`, () => assert.equal(faultsOf('docs/guides/a-page.md', text).length, 1))

  it('can be commands with their output, files, and programs', () => {
    const text =
      '```sh\nls\n```\n\n```text\na\n```\n\n<!-- saved as: .env -->\n```ini\nA=b\n```\n\n```ts\nconsole.log()\n```\n'
    assert.deepEqual(faultsOf('docs/guides/a-page.md', text), [])
  })
})
