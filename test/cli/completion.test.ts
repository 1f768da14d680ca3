/** Shell completion: the suggestions, and that shells show them. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { cli, newHome, writeCommonhold } from '#testing/processes/cli.ts'

const home = newHome()
writeCommonhold(home)
const env = { PATH: `${home}${path.delimiter}${process.env.PATH}`, HOME: home }

/** Making a format fails: the first one of a process takes longer than the rest of a suggestion. */
const WITHOUT_FORMATS = `--import=data:text/javascript,${encodeURIComponent(
  'for(const name of Object.keys(Object.getOwnPropertyDescriptors(Intl)))Intl[name]=undefined;Number.prototype.toLocaleString=undefined',
)}`

/** Returns the suggestions for the last word: lines of a value and its description. */
async function suggested(...words: string[]): Promise<string[][]> {
  const { stdout } = await cli(['complete', '--', ...words], { NODE_OPTIONS: WITHOUT_FORMATS })
  const lines = stdout.trimEnd().split('\n')
  assert.match(lines.pop() ?? '', /^:\d+$/)
  return lines.filter((line) => line !== '').map((line) => line.split('\t'))
}

/** Completes each line in bash. */
function inBash(script: string, lines: readonly string[]): string[] {
  writeFileSync(path.join(home, 'completion.bash'), script)
  const press = lines.map(
    (line) =>
      `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _commonhold commonhold; IFS=,; echo "\${COMPREPLY[*]}"; unset IFS`,
  )
  const commands = ['source completion.bash', 'source completion.bash', 'complete -p commonhold', ...press].join('\n')
  const said = execFileSync('bash', ['--norc', '-c', commands], { cwd: home, env, encoding: 'utf8' })
  return said.trimEnd().split('\n')
}

describe('completion', () => {
  it('suggests nouns, verbs, options and values, each in one line', async () => {
    const nouns = await suggested('')
    for (const noun of ['org', 'grant', 'serve', 'export', 'completion'])
      assert.ok(
        nouns.some(([value]) => value === noun),
        noun,
      )
    assert.ok(nouns.every(([value, what]) => /^[a-z-]+$/.test(value ?? '') && what !== undefined && what !== ''))
    assert.deepEqual(
      (await suggested('org', '')).map(([value]) => value),
      ['list', 'get', 'add', 'update', 'disable', 'enable', 'delete'],
    )
    assert.deepEqual(
      (await suggested('grant', 'add', 'ada', 'org:acme', '--role', '')).map(([value]) => value),
      ['viewer', 'commenter', 'editor'],
    )
  })

  it('works in plain bash, and executes nothing of the line', async () => {
    const { stdout } = await cli(['completion', 'bash'])
    const evil = '$(touch evil)'
    const said = inBash(stdout, ['commonhold or', 'commonhold grant add --ro', `commonhold org delete ${evil} --y`])
    assert.deepEqual(said, ['complete -o default -F _commonhold commonhold', 'org', '--role', '--yes'])
    assert.notEqual(spawnSync('ls', ['evil'], { cwd: home }).status, 0)
  })

  for (const [shell, registers] of [
    ['zsh', /^compdef _commonhold commonhold$/m],
    ['fish', /^complete -c commonhold /m],
  ] as const)
    it(`has a script for ${shell}`, async (t) => {
      const { code, stdout } = await cli(['completion', shell])
      assert.equal(code, 0)
      assert.match(stdout, registers)
      assert.match(stdout, /commonhold complete -- /)
      const script = path.join(home, `completion.${shell}`)
      writeFileSync(script, stdout)
      const read = spawnSync(shell, ['-n', script], { encoding: 'utf8' })
      if (read.error === undefined) assert.deepEqual([read.status, read.stderr], [0, ''])
      else t.annotate(`${shell} is not installed here: nobody has read it`)
    })

  it('names the shells that it supports', async () => {
    const { code, stderr } = await cli(['completion', 'nush'])
    assert.equal(code, 2)
    assert.match(stderr, /zsh, bash, fish, powershell/)
  })
})
