/** The published package of the web components: packed and installed into an empty project, its types, and its elements in React. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, it } from 'vitest'
import { afterThisFile } from '#testing/clean-up.ts'
import { STRICTEST } from '#testing/pages/strictest.ts'
import { OFFLINE_NPM } from '#testing/processes/package.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { olderNode } from '#testing/processes/toolchain.ts'
import { ROOT } from '../../scripts/root.ts'
import { openPage } from '../console/support/browser.ts'

const project = temporaryFolder()
const run = promisify(execFile)
const environment = {
  ...process.env,
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
  ...OFFLINE_NPM,
}
const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], {
  cwd: path.join(ROOT, 'components'),
  env: environment,
})
const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string; files: { path: string }[] }]
writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
await run('npm', ['install', `./${packed.filename}`], { cwd: project, env: environment })

/** A program that uses React. The type of each element has its properties and its events. */
const APP = `
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { configure, ENGLISH } from '@commonhold/comments'
import '@commonhold/comments/react'

configure({ url: location.origin, token: 'e.eyJzdWIiOiJhZGEifQ.s', texts: { comments: 'Notes' } })
function App() {
  const [threads, setThreads] = useState(-1)
  return <main>
    <p>{threads} threads; {ENGLISH.reply}</p>
    <commonhold-comments organizationId="acme" documentId="roadmap" filter="all" className="notes"
      oncommonhold-threads={({ detail }) => setThreads(detail.threads)} />
    <commonhold-inbox organizationId="acme" people={async (query) => [{ userId: query }]} />
    <commonhold-share organizationId="acme" documentId="roadmap"
      oncommonhold-shared={({ detail }) => setThreads(detail.changes.length)} />
    <commonhold-access organizationId="acme" documentId="roadmap" />
  </main>
}
createRoot(document.body).render(<App />)
`

async function typeFaults(program: string): Promise<string> {
  writeFileSync(path.join(project, 'app.tsx'), program)
  const compilerOptions = {
    ...{
      target: 'esnext',
      module: 'esnext',
      moduleResolution: 'bundler',
      ...STRICTEST,
      noEmit: true,
      jsx: 'react-jsx',
    },
    ...{ lib: ['esnext', 'dom'], types: [] },
    paths: Object.fromEntries(
      ['react', 'react-dom'].flatMap((name) => [
        [name, [path.join(ROOT, 'node_modules/@types', name)]],
        [`${name}/*`, [path.join(ROOT, 'node_modules/@types', name, '*')]],
      ]),
    ),
  }
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.tsx'] }))
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler], { cwd: project }).catch((failure) => failure)
  return stdout
}

describe('the package', () => {
  it('has the module, its types, licences and a README, and nothing else', () => {
    assert.deepEqual(packed.files.map((file) => file.path).toSorted(), [
      'LICENSE',
      'README.md',
      'dist/LICENSES.txt',
      'dist/commonhold-comments.js',
      'dist/connection/options.d.ts',
      'dist/connection/records.d.ts',
      'dist/elements.d.ts',
      'dist/index.d.ts',
      'dist/react.d.ts',
      'dist/react.js',
      'dist/words/texts.d.ts',
      'package.json',
    ])
    const licences = readFileSync(path.join(project, 'node_modules/@commonhold/comments/dist/LICENSES.txt'), 'utf8')
    assert.match(licences, /Google LLC.*Robert Knight/s)
  })

  it('has the version of the server, and no dependencies', () => {
    const ours = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    const its = JSON.parse(readFileSync(path.join(ROOT, 'components/package.json'), 'utf8'))
    assert.equal(its.version, ours.version)
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) assert.equal(its[kind], undefined)
  })

  it('can be imported on a server, where it defines nothing and leaves the globals as they are', async () => {
    const program = `
      const { configure, ENGLISH } = await import('@commonhold/comments')
      await import('@commonhold/comments/react')
      configure({ url: 'http://127.0.0.1:8080', token: async () => '' })
      console.log(ENGLISH.reply, ['customElements', 'document', 'HTMLElement'].filter((name) => name in globalThis))`
    for (const node of [olderNode(20) ?? process.execPath, process.execPath]) {
      const { stdout } = await run(node, ['--input-type=module', '--eval', program], { cwd: project })
      assert.equal(stdout, 'Reply []\n', node)
    }
  })

  it('has types for React, with properties and events', async () => {
    assert.equal(await typeFaults(APP), '')
    assert.match(await typeFaults(APP.replace('filter="all"', 'filter="none"')), /'"none"' is not assignable/)
    assert.match(await typeFaults(APP.replace('detail.threads', 'detail.unread')), /'unread' does not exist/)
    assert.match(await typeFaults(APP.replace('detail.changes', 'detail.threads')), /'threads' does not exist/)
  })

  it('has elements that React 19 renders, with their properties and events', async () => {
    writeFileSync(path.join(project, 'app.tsx'), APP)
    const { outputFiles } = await build({
      entryPoints: [path.join(project, 'app.tsx')],
      ...{ bundle: true, format: 'esm', write: false, jsx: 'automatic' },
      nodePaths: [path.join(ROOT, 'node_modules')],
      define: { 'process.env.NODE_ENV': '"production"' },
    })
    const server = createServer((request, response) => {
      if (request.method === 'POST')
        return response.end(JSON.stringify({ result: { status: 'success', message: '', data: [] } }))
      if (request.url === '/app.js')
        return response.setHeader('content-type', 'text/javascript').end(outputFiles[0]?.contents)
      return response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(
          '<!doctype html><title>React</title><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>',
        )
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    afterThisFile(() => {
      server.closeAllConnections()
      server.close()
    })
    const { page, faults } = await openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.getByText('0 threads; Reply').waitFor()
    await page.getByRole('heading', { name: 'Notes' }).waitFor()
    assert.equal(await page.getByLabel('Show').inputValue(), 'all')
    assert.deepEqual(faults, [])
  })
})
