/** The workflow of a public forge runs the two commands of the README and the release. The full run lints it. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { parse } from 'yaml'
import { files, read } from './sources.ts'

interface Job {
  steps: { run?: string; uses?: string }[]
  permissions?: Record<string, string>
}

const { jobs, permissions }: { jobs: Record<string, Job>; permissions: Record<string, string> } = parse(
  read('.github/workflows/ci.yml'),
)
const commandsOf = (job: string): string => (jobs[job]?.steps ?? []).map(({ run = '' }) => run).join('\n')

describe('the workflow', () => {
  it('runs what the README says, and the release', () => {
    for (const [job, command] of Object.entries({ start: 'npm ci && npm start', test: 'npm ci && npm test' })) {
      assert.ok(read('README.md').includes(`\n${command}\n`))
      for (const part of command.split(' && ')) assert.ok(commandsOf(job).includes(part), `${job}: ${part}`)
    }
    assert.match(commandsOf('release'), /^npm run release -- --repository /m)
    assert.match(commandsOf('later-postgres'), /^npx vitest run --project postgres$/m)
  })

  it('gives no job rights that it does not need', () => {
    assert.deepEqual(permissions, { contents: 'read' })
    const more = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined)
    assert.deepEqual(
      more.map(([name]) => name),
      ['publish'],
    )
  })
})

describe('the templates of issues', () => {
  it('ask for a version, and lead security reports elsewhere', () => {
    const templates = files('.github/ISSUE_TEMPLATE/*.yml').filter((file) => !file.endsWith('config.yml'))
    assert.deepEqual(templates.length, 2)
    for (const file of templates) {
      const { name, description, body } = parse(read(file))
      assert.ok(name.length > 0 && description.length > 20, file)
      for (const { type, attributes } of body) assert.ok(type === 'markdown' || attributes.label.length > 0, file)
    }
    assert.match(read('.github/ISSUE_TEMPLATE/bug.yml'), /SECURITY\.md/)
    assert.equal(parse(read('.github/ISSUE_TEMPLATE/config.yml')).blank_issues_enabled, false)
  })
})
