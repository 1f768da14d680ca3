/**
 * Builds the package of the command line and the server in `cli/dist`, for `npm pack` and `npm publish` there. It is
 * bundled JavaScript, because Node does not strip types under node_modules. The package also contains the files of the
 * embedded engine, the migrations, the console and the site if they are built, the template of an empty store, and the licences of what is
 * bundled.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { EMPTY_DIRECTORIES } from '#platform/db/embedded.ts'
import { templateFolder } from '#platform/db/template.ts'
import { type Bundled, licencesText, packagesOf, sorted } from './release/licences.ts'
import { ROOT } from './root.ts'

const DIST = path.join(ROOT, 'cli/dist')
const CONSOLE = path.join(ROOT, 'console/dist')
const SITE = path.join(ROOT, 'site/dist')
const ENGINE = path.join(ROOT, 'node_modules/@electric-sql/pglite/dist')
const ENGINE_FILES = ['pglite.wasm', 'pglite.data', 'initdb.wasm']

/** Lets the bundled files find others by their path in the checkout, because `cli/dist` has the same layout. */
const sourcePaths: Plugin = {
  name: 'source-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\/(cli|server)\/.*\.ts$/ }, ({ path: file }) => {
      const folder = path.relative(ROOT, path.dirname(file)).replaceAll('\\', '/')
      const contents = readFileSync(file, 'utf8')
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${folder}')`)
        .replaceAll('./engine-thread.ts', './engine-thread.js')
      return { contents, loader: 'ts' }
    })
  },
}

/** The globals that bundled CommonJS packages expect. */
const COMMON_JS = `
import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename`

rmSync(DIST, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: { cli: 'cli/main.ts', server: 'server/main.ts', 'engine-thread': 'server/platform/db/engine-thread.ts' },
  outdir: DIST,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  external: ['pg-native'],
  plugins: [sourcePaths],
  banner: { js: COMMON_JS },
  legalComments: 'none', // the package has the licences in a file
  metafile: true,
  preserveSymlinks: true, // paths in the bundles do not reveal where the packages are installed
  logLevel: 'warning',
})
for (const file of ENGINE_FILES) copyFileSync(path.join(ENGINE, file), path.join(DIST, file))
cpSync(path.join(ROOT, 'db/migrations'), path.join(DIST, 'db/migrations'), { recursive: true })
copyTemplate(reproducibleTemplate(), path.join(DIST, 'template'))
if (existsSync(CONSOLE)) cpSync(CONSOLE, path.join(DIST, 'console/dist'), { recursive: true })
if (existsSync(SITE)) cpSync(SITE, path.join(DIST, 'site/dist'), { recursive: true })
writeFileSync(path.join(DIST, 'LICENSES.txt'), licencesText(bundledPackages()))
copyFileSync(path.join(ROOT, 'LICENSE'), path.join(DIST, 'LICENSE'))
copyFileSync(path.join(ROOT, 'cli/README.md'), path.join(DIST, 'README.md'))
const { version, description, license, repository, optionalDependencies } = JSON.parse(
  readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
)
const manifest = {
  ...{ name: 'commonhold', version, description, license },
  ...{ type: 'module', bin: { commonhold: 'cli.js' }, engines: { node: '>=26' } },
  ...{ repository, publishConfig: { access: 'public', provenance: true } },
  optionalDependencies, // Node itself
}
// This file is written last, because its presence marks a complete build.
writeFileSync(path.join(DIST, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)

/** Returns the packages in the bundles, among them those of the console and the site, if they are built. */
function bundledPackages(): Bundled[] {
  const lists = [CONSOLE, SITE].map((folder) => path.join(folder, 'licenses.json')).filter((file) => existsSync(file))
  const listed = lists.flatMap((file): Bundled[] => JSON.parse(readFileSync(file, 'utf8')))
  return sorted([...packagesOf(Object.keys(metafile.inputs).map((file) => path.join(ROOT, file))), ...listed])
}

/** Returns the folder of a template that has the same bytes wherever it is made. It is kept, because making it takes seconds. */
function reproducibleTemplate(): string {
  const folder = `${templateFolder()}-packaged`
  const preloaded = pathToFileURL(path.join(ROOT, 'scripts/release/fixed-entropy.ts')).href
  const args = ['--import', preloaded, path.join(ROOT, 'scripts/make-template.ts'), folder]
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return folder
}

/** Lists the empty folders in a file: npm packages omit them, and the engine does not start without some. */
function copyTemplate(template: string, folder: string): void {
  cpSync(template, folder, { recursive: true })
  const empty = globSync('**/', { cwd: folder }).filter((one) => readdirSync(path.join(folder, one)).length === 0)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, EMPTY_DIRECTORIES), JSON.stringify(empty.sort()))
}
