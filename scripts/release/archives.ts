/**
 * Writes archives of files of a checkout that have the same bytes each time: sorted, with one time, one owner and fixed
 * permissions. Needs GNU tar.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const CHART = 'deploy/helm/commonhold'
const TAR = ['--create', '--sort=name', '--mtime=@1767225600', '--owner=0', '--group=0', '--numeric-owner']

/** Writes files of a folder below the folder `top` of an archive. */
function archive(file: string, folder: string, top: string, names: readonly string[]): void {
  const args = [...TAR, '--mode=u=rwX,go=rX', '--format=ustar', `--transform=s,^,${top}/,`, '--files-from=-']
  const tar = execFileSync('tar', args, { cwd: folder, input: names.join('\n'), maxBuffer: 1 << 28 })
  writeFileSync(file, gzipSync(tar, { level: 9 }))
}

/** Writes the chart as `helm package` would. */
export function packChart(file: string, checkout: string, files: readonly string[]): void {
  const names = files.filter((name) => name.startsWith(`${CHART}/`)).map((name) => path.relative(CHART, name))
  archive(file, path.join(checkout, CHART), 'commonhold', names)
}

/** Writes the sources of the image: the Dockerfile, the compose file, and the files that the Dockerfile may copy. */
export function packImageContext(file: string, checkout: string, files: readonly string[], version: string): void {
  const kept = readFileSync(path.join(checkout, '.dockerignore'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
  const isKept = (name: string) =>
    ['.dockerignore', 'deploy/Dockerfile', 'deploy/compose.yaml'].includes(name) ||
    (kept.some((one) => name === one || name.startsWith(`${one}/`)) && !name.endsWith('.test.ts'))
  archive(file, checkout, `commonhold-image-${version}`, files.filter(isKept))
}
