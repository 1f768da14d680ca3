/** The packages that `npm run release` publishes describe themselves alike. The full run tests their contents. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { ROOT } from '../../scripts/root.ts'
import { read } from './sources.ts'

const own = JSON.parse(read('package.json'))

for (const folder of ['sdk', 'components'])
  describe(`the package of ${folder}/`, () => {
    const manifest = JSON.parse(read(`${folder}/package.json`))

    it('has the version and the licence of the server, is public, and gets a provenance', () => {
      assert.deepEqual([manifest.version, manifest.license], [own.version, own.license])
      assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true })
      assert.ok(manifest.description.length > 20)
    })

    it('exports modules that the build makes from existing sources, each with its types, and packs no others', () => {
      assert.deepEqual([manifest.type, manifest.files], ['module', ['dist']])
      for (const entry of Object.values<{ types: string; default: string }>(manifest.exports)) {
        assert.deepEqual(Object.keys(entry), ['types', 'default']) // the types come first, or compilers do not see them
        const source = entry.types.replace('./dist/', `${folder}/`).replace('.d.ts', '.ts')
        assert.ok(existsSync(path.join(ROOT, source)), source)
      }
    })

    it('has a README that says how to install it', () => {
      assert.match(read(`${folder}/README.md`), new RegExp(`^# ${manifest.name}\n`))
      assert.match(read(`${folder}/README.md`), /^npm install /m)
    })

    it('has no dependencies', () => {
      for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
        assert.equal(manifest[kind], undefined)
    })
  })
