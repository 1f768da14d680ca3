/** Builds and packs the package of the command line and the server, and installs it into an empty folder. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from '../../scripts/root.ts'
import { ensureCommonhold } from './build.ts'

/** Options with which `npm` installs without a network, and prints nothing but its result. */
export const OFFLINE_NPM = {
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

export interface Installed {
  /** The folder that the package is installed into. */
  project: string
  /** The environment: Node and npm of the checkout, `commonhold` as `npx` finds it, and no network. */
  env: Readonly<Record<string, string>>
}

export async function installPackage(): Promise<Installed> {
  const project = mkdtempSync(path.join(os.tmpdir(), 'commonhold-package-'))
  const places = [path.join(project, 'node_modules/.bin'), path.dirname(process.execPath), process.env.PATH]
  const env = {
    PATH: places.join(path.delimiter),
    HOME: project,
    ...OFFLINE_NPM,
  }
  const quietly = {
    env,
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8' as const,
  }
  await ensureCommonhold()
  const folder = path.join(ROOT, 'cli/dist')
  const packing = execFileSync('npm', ['pack', '--json', '--pack-destination', project], { ...quietly, cwd: folder })
  const [packed] = JSON.parse(packing.slice(packing.indexOf('['))) as [{ filename: string }]
  writeFileSync(path.join(project, 'package.json'), '{"private": true}')
  execFileSync('npm', ['install', `./${packed.filename}`], { ...quietly, cwd: project })
  return { project, env }
}
