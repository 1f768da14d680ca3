/** The views of the console that have a screenshot, each with content worth showing. */
import type { Page } from 'playwright-core'
import { MISTAKES } from '../demo/mistakes.ts'
import type { Demo } from '../demo/workspace.ts'

type Keys = Pick<Demo, 'apiKey' | 'productionKey'>

export interface View {
  name: string
  /** Below `/console/`. */
  address(demo: Keys): string
  /** Interacts with the page before the screenshot is taken. */
  open?(page: Page): Promise<void>
  signedOut?: boolean
}

const LARKSPUR = { organizationId: 'larkspur' }
const FOLDER = { ...LARKSPUR, type: 'folder', id: 'marketing-campaigns-spring-launch' }

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first()

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option }).click()
}

const ofKey = (view: string, search: Record<string, string> = {}) => {
  const query = new URLSearchParams(search).toString()
  return ({ apiKey }: Keys) => `keys/${apiKey}${view && `/${view}`}${query && `?${query}`}`
}

function why(): Record<string, string> {
  const { userId, resource } = MISTAKES.boundary.ask
  return { ...LARKSPUR, type: resource.type, id: resource.id, userId }
}

/** Enters the code of a command line that is signing in. */
async function askFromLaptop(page: Page): Promise<void> {
  const headers = { 'user-agent': 'commonhold/0.1.0 (linux)' }
  const data = { data: { machine: 'kim@laptop' } }
  const response = await page.request.post(new URL('/console/device/start', page.url()).href, { headers, data })
  const { result } = (await response.json()) as { result: { data: { userCode: string } } }
  await page.getByRole('textbox', { name: 'Code' }).fill(result.data.userCode)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Is this you, on this machine?' }).waitFor()
}

async function previewClosing(page: Page): Promise<void> {
  await button(page, 'Change access type').click()
  await page.getByRole('radio', { name: 'Restricted' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).waitFor()
}

/** Opens the confirmation of an action, and types nothing. */
async function ask(page: Page, action: string): Promise<void> {
  await button(page, action).click()
  await page.getByRole('dialog').getByRole('textbox').waitFor()
}

export const VIEWS: readonly View[] = [
  { name: 'sign-in', address: () => '', signedOut: true },
  { name: 'overview', address: ofKey('') },
  { name: 'production', address: ({ productionKey }) => `keys/${productionKey}` },
  {
    name: 'delete-key',
    address: ({ productionKey }) => `keys/${productionKey}/settings`,
    open: (page) => ask(page, 'Delete'),
  },
  { name: 'keys', address: () => 'keys' },
  { name: 'workspace-tokens', address: () => 'workspace-tokens' },
  { name: 'people', address: () => 'people' },
  { name: 'account', address: () => 'account' },
  { name: 'device', address: () => 'device', open: askFromLaptop },
  { name: 'single-sign-on', address: () => 'single-sign-on' },
  { name: 'create-key', address: () => 'keys/new' },
  { name: 'settings', address: ofKey('settings') },
  { name: 'tokens', address: ofKey('settings/tokens') },
  { name: 'domains', address: ofKey('settings/domains') },
  { name: 'email', address: ofKey('settings/email') },
  { name: 'moving', address: ofKey('settings/moving') },
  { name: 'comment-settings', address: ofKey('settings/comments') },
  { name: 'webhook-settings', address: ofKey('settings/webhooks') },
  {
    name: 'compare',
    address: ofKey('settings/compare'),
    open: (page) => choose(page, 'Compare with', 'Larkspur production'),
  },
  {
    name: 'palette',
    address: ofKey(''),
    open: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill('launch')
      await page.getByRole('option').filter({ hasText: 'aunch' }).first().waitFor()
    },
  },
  { name: 'worth-a-look', address: ofKey('worth-a-look') },
  { name: 'organizations', address: ofKey('organizations') },
  { name: 'resources', address: ofKey('organizations/resources', { ...LARKSPUR, folderId: FOLDER.id }) },
  { name: 'access', address: ofKey('access', FOLDER) },
  { name: 'everyone', address: ofKey('access', { ...LARKSPUR, type: 'folder', id: 'marketing-press' }) },
  { name: 'inside', address: ofKey('inside', { ...LARKSPUR, type: 'folder', id: 'finance-payroll' }) },
  { name: 'access-preview', address: ofKey('access', FOLDER), open: previewClosing },
  { name: 'why', address: ofKey('why', why()) },
  { name: 'matrix', address: ofKey('matrix', { ...LARKSPUR, folderId: FOLDER.id }) },
  { name: 'access-review', address: ofKey('access-review', LARKSPUR) },
  { name: 'users', address: ofKey('users', LARKSPUR) },
  { name: 'user', address: ofKey('users/user', { userId: MISTAKES.boundary.ask.userId }) },
  {
    name: 'leaver',
    address: ofKey('users/user', { userId: MISTAKES.left.ask.userId }),
    open: (page) => ask(page, 'Remove all access…'),
  },
  { name: 'groups', address: ofKey('groups', LARKSPUR) },
  { name: 'invitations', address: ofKey('invitations', LARKSPUR) },
  { name: 'threads', address: ofKey('threads', LARKSPUR) },
  {
    name: 'thread',
    address: ofKey('threads/thread', { ...LARKSPUR, documentId: 'launch-plan-2027', annotationId: 'launch-week' }),
  },
  { name: 'migrations', address: ofKey('migrations', LARKSPUR) },
  { name: 'events', address: ofKey('events') },
  {
    name: 'event',
    address: ofKey('events', { types: '["document.updated"]' }),
    open: (page) => page.getByRole('main').getByRole('listitem').getByRole('button').first().click(),
  },
  {
    name: 'changes',
    address: ofKey('changes', { ...LARKSPUR, type: 'folder', id: 'product-cargo-bike' }),
    open: (page) => page.getByRole('heading', { name: 'In between' }).waitFor(),
  },
  { name: 'webhooks', address: ofKey('webhooks') },
  {
    name: 'webhook',
    address: ofKey('webhooks'),
    open: async (page) => {
      await page.getByRole('link', { name: /hooks\.larkspur/ }).click()
      await page.getByRole('heading', { level: 1, name: /hooks\.larkspur/ }).waitFor()
    },
  },
]
