/** The access page of the console: showing access, and changing it after a preview. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { listGrants } from '#contract/access/grants.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { disableDocuments, getDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { assertRecent } from '#testing/recent.ts'
import { FULL } from '#testing/run/mode.ts'
import { apply, chooseUsers, grantOf, openAccess, says } from '../support/access-page.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, type Company, LATER, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { act, button, heading, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const openRoadmap = (company: Company) => openAccess(visit, company, 'document', 'roadmap', 'Road map')

describe('the access page', () => {
  it('shows the access type in effect with its source, and the users with access with theirs', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openRoadmap(company)
    await page.getByText('Inherited from').waitFor()
    await row(page, 'Bob Stone').getByText('expires').waitFor()
    await row(page, 'Bob Stone').getByRole('link', { name: 'Plans' }).waitFor()
    await row(page, 'cem').getByText('grant here').waitFor()
    assert.equal(await row(page, 'ada').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByLabel('Search by id, name or e-mail address').fill('STONE')
    await row(page, 'cem').waitFor({ state: 'detached' })
    await page.getByLabel('Search by id, name or e-mail address').fill('')
    await page.getByText('Viewers', { exact: true }).click()
    await row(page, 'Bob Stone').waitFor({ state: 'detached' })
    await row(page, 'cem').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Plans' }).click()
    await heading(page, 'Plans')
    await page.getByText('Set here. Grants on its ancestors do not apply.').waitFor()
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('reports an id that does not exist', async () => {
    const company = await newCompany(server)
    const { page } = await openAccess(visit, company, 'document', 'nope')
    await page.getByText('Nothing has this id').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it.runIf(FULL)(
    'warns about a document that was never added, and shows that nobody has access to a disabled one',
    async () => {
      const company = await newCompany(server)
      await company.grant({ userId: 'ada', type: 'document', id: 'raodmap', accessRole: 'viewer' })
      const { page } = await openAccess(visit, company, 'document', 'raodmap')
      await page.getByText('This document was never added').waitFor()
      await row(page, 'Ada Lovelace').waitFor()
      assert.deepEqual(await violationsInBothSchemes(page), [])
      await company.client.call(disableDocuments, { organizationId, documentIds: ['roadmap'], disabled: true })
      const { page: other } = await openRoadmap(company)
      await other.getByText('Nobody has access while it is disabled').waitFor()
      assert.equal(await other.getByText('This document was never added').count(), 0)
    },
  )

  it('gives access after a preview, and undoes it', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openRoadmap(company)
    await button(page, 'Give access').click()
    await button(page, 'Preview').click()
    await page.getByText('Select at least one user or group.').waitFor()
    await chooseUsers(page, 'ada', 'new.one')
    await page.getByRole('dialog').getByLabel('Expires').selectOption('In 7 days')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Preview').click()
    await says(page, '2 people gain access as viewers')
    await page.getByRole('list', { name: '2 people gain access as viewers' }).getByText('Ada Lovelace').waitFor()
    await page.locator(':focus').filter({ hasText: 'Give viewer to' }).filter({ hasText: 'Ada Lovelace' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await grantOf(company, 'ada', 'roadmap'), undefined)
    await apply(page)
    await row(page, 'new.one').waitFor()
    const { accessRole, expiresAt = 0 } = (await grantOf(company, 'ada', 'roadmap')) ?? {}
    assert.equal(accessRole, 'viewer')
    assertRecent((expiresAt - 7 * 86_400) * 1_000)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Undo').click()
    await page.getByText('Undone').waitFor()
    await row(page, 'new.one').waitFor({ state: 'detached' })
    assert.equal(await grantOf(company, 'ada', 'roadmap'), undefined)
    assert.deepEqual(faults, [])
  })

  it('revokes grants, and restores them with role and expiry', async () => {
    const company = await newCompany(server)
    await company.grant({ userId: 'dan', type: 'document', id: 'roadmap', accessRole: 'editor', expiresAt: LATER })
    const { page } = await openRoadmap(company)
    await page.getByLabel('Select dan').check()
    await page.getByLabel('Select cem').check()
    await button(page, 'Revoke 2 grants').click()
    await says(page, '2 people lose access')
    await apply(page)
    await row(page, 'dan').waitFor({ state: 'detached' })
    assert.equal(await grantOf(company, 'cem', 'roadmap'), undefined)
    await button(page, 'Undo').click()
    await row(page, 'dan').waitFor()
    assert.deepEqual(await grantOf(company, 'dan', 'roadmap'), {
      userId: 'dan',
      type: 'document',
      id: 'roadmap',
      accessRole: 'editor',
      expiresAt: LATER,
    })
  })

  it('changes the access type, previews who loses access, and undoes it', async () => {
    const company = await newCompany(server)
    const { page } = await openRoadmap(company)
    await button(page, 'Change access type').click()
    await page.getByRole('radio', { name: 'Organization private' }).check()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Preview').click()
    await says(page, '1 person gains access as viewer')
    await apply(page)
    await page.getByText('Set here. Grants on its ancestors do not apply.').waitFor()
    const ids = { organizationId, documentIds: ['roadmap'] }
    const own = async () => (await company.client.call(getDocuments, ids))[0] as { inheritAccessFromParent: boolean }
    assert.equal((await own()).inheritAccessFromParent, false)
    await button(page, 'Undo').click()
    await page.getByText('Inherited from').waitFor()
    assert.equal((await own()).inheritAccessFromParent, true)
  })

  it.runIf(FULL)('previews how many resources a changed role affects', async () => {
    const company = await newCompany(server)
    const { page } = await openAccess(visit, company, 'folder', 'plans', 'Plans')
    await act(page, 'Bob Stone', 'Change role or set an end')
    await page.getByRole('radio', { name: 'Viewer: can read' }).check()
    await button(page, 'Preview').click()
    await says(page, '1 person becomes viewer')
    await page.getByText('on 1 folder and 1 document').waitFor()
    await apply(page)
    assert.equal((await grantOf(company, 'bob', 'plans'))?.accessRole, 'viewer')
    assert.equal((await grantOf(company, 'bob', 'plans'))?.expiresAt, LATER)
  })
})

describe('a role for some time', () => {
  it.runIf(FULL)('is given in addition to the standing one, which remains as the page says, and undone', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openRoadmap(company)
    await act(page, 'cem', 'Give a role temporarily')
    await page.getByRole('radio', { name: 'Editor: can read' }).check()
    await button(page, 'Preview').click()
    await page.getByText('Select when the role expires.').waitFor()
    await page.getByRole('dialog').getByLabel('Expires').selectOption('In 7 days')
    await page.getByText('The standing grant as viewer stays: then viewer again.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Preview').click()
    await says(page, '1 person becomes editor')
    await apply(page)
    await row(page, 'cem').getByText('then viewer again').waitFor()
    const roles = async () => {
      const { grants } = await company.client.call(listGrants, { organizationId })
      return grants.flatMap(({ userId, id, accessRole, expiresAt }) =>
        userId === 'cem' && id === 'roadmap' ? [[accessRole, expiresAt !== undefined]] : [],
      )
    }
    assert.deepEqual(await roles(), [
      ['viewer', false],
      ['editor', true],
    ])
    await button(page, 'Undo').click()
    await page.getByText('The previous access is restored.').waitFor()
    assert.deepEqual(await roles(), [['viewer', false]])
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('is set as the end of the grant, and undone', async () => {
    const company = await newCompany(server)
    const { page } = await openRoadmap(company)
    await act(page, 'cem', 'Change role or set an end')
    await page.getByRole('dialog').getByLabel('Expires').selectOption('In 7 days')
    await page.getByText('Afterwards the user has no grant here.').waitFor()
    await button(page, 'Preview').click()
    await says(page, '1 person keeps viewer with another expiry')
    await apply(page)
    assert.notEqual((await grantOf(company, 'cem', 'roadmap'))?.expiresAt, undefined)
    await button(page, 'Undo').click()
    await page.getByText('The previous access is restored.').waitFor()
    assert.equal((await grantOf(company, 'cem', 'roadmap'))?.expiresAt, undefined)
  })
})

describe('the access page of an organization', () => {
  it.runIf(FULL)('removes a user with all grants in the organization', async () => {
    const company = await newCompany(server)
    const { page } = await openAccess(visit, company, 'organization', organizationId, 'Acme')
    await act(page, 'Bob Stone', 'Remove from organization…')
    const dialog = page.getByRole('dialog', { name: 'Remove the user from the organization' })
    await dialog.getByText('2 grants and 0 group memberships will be removed.').waitFor()
    await dialog.getByRole('textbox').fill('Bob Stone')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row(page, 'Bob Stone').waitFor({ state: 'detached' })
    assert.equal(await grantOf(company, 'bob', 'plans'), undefined)
    await button(page, 'Undo').click()
    await row(page, 'Bob Stone').waitFor()
    assert.equal((await grantOf(company, 'bob', 'plans'))?.expiresAt, LATER)
  })

  it('revokes a membership after a preview of its effect', async () => {
    const company = await newCompany(server)
    await company.documents('work', { documentId: 'minutes' })
    const { page, faults } = await openAccess(visit, company, 'organization', organizationId, 'Acme')
    await page.getByText('Users with a grant on the organization have access.').waitFor()
    await act(page, 'Ada Lovelace', 'Revoke grant')
    // Documents are public by default, and users without a grant are editors there.
    await says(page, '1 person loses access')
    await says(page, '1 person becomes editor')
    await apply(page)
    await row(page, 'Ada Lovelace').waitFor({ state: 'detached' })
    assert.equal(await grantOf(company, 'ada', organizationId), undefined)
    assert.deepEqual(faults, [])
  })
})

describe('a public document', () => {
  it('says that everyone has access, and with which role', async () => {
    const company = await newCompany(server)
    await company.documents('work', { documentId: 'minutes' })
    await company.client.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
    const { page, faults } = await openAccess(visit, company, 'document', 'minutes')
    await page.getByText('Everyone has access, as viewer').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.goto(
      `${server.url}/console/keys/${company.apiKey}/${address('access', { organizationId, type: 'organization' })}`,
    )
    await heading(page, 'Acme')
    assert.equal(await page.getByText('Everyone has access, as').count(), 0) // only to the document inside
    await page.goto(
      `${server.url}/console/keys/${company.apiKey}/${address('why', { organizationId, type: 'document', id: 'minutes', userId: 'eve' })}`,
    )
    await page.getByText('default of the API key: public, users without a grant are viewers').waitFor()
    await page.goto(`${server.url}/console/keys/${company.apiKey}`)
    await page.getByText('Every user of this API key can view documents').waitFor()
    assert.deepEqual(faults, [])
  })
})

describe('expired grants', () => {
  it.runIf(FULL)(
    'are listed separately, on the resource and on the ancestors whose grants apply, and can be given again',
    async () => {
      const company = await newCompany(server)
      const over = { accessRole: 'editor' as const, expiresAt: Math.floor(Date.now() / 1_000) - 86_400 }
      await company.grant(
        { userId: 'dan', type: 'document', id: 'roadmap', ...over },
        { userId: 'eve', type: 'folder', id: 'plans', ...over },
        // Above the boundary: it would not open the document.
        { userId: 'fay', type: 'folder', id: 'work', ...over },
      )
      await company.client.call(setProfiles, { users: [{ userId: 'eve', name: 'Eve Frost' }] })
      const { page, faults } = await openRoadmap(company)
      const expired = page.getByRole('region', { name: 'Expired grants' })
      await expired.getByRole('row').filter({ hasText: 'dan' }).getByText('here').waitFor()
      await expired.getByRole('row').filter({ hasText: 'Eve Frost' }).getByRole('link', { name: 'Plans' }).waitFor()
      assert.equal(await row(page, 'fay').count(), 0)
      assert.deepEqual(await violationsInBothSchemes(page), [])
      await expired
        .getByRole('row')
        .filter({ hasText: 'dan' })
        .getByRole('button', { name: 'Give access again to dan' })
        .click()
      await button(page, 'Preview').click()
      await says(page, '1 person gains access as viewer')
      await apply(page)
      await expired.getByText('dan').waitFor({ state: 'detached' })
      await expired.getByRole('link', { name: 'Eve Frost' }).click()
      await page.getByText('User Eve Frost has no access to document Road map').waitFor()
      assert.deepEqual(faults, [])
    },
  )
})

describe('with the keyboard alone', () => {
  it.runIf(FULL)('somebody is given access after a preview', async () => {
    const company = await newCompany(server)
    const search = { organizationId, type: 'document', id: 'roadmap' }
    const { page } = await visit(`keys/${company.apiKey}/${address('access', search)}`)
    const { keyboard } = page
    await page.locator('input[name=id]:focus').waitFor()
    await keyboard.type(company.workspaceId)
    await keyboard.press('Tab')
    await keyboard.type(company.workspaceToken)
    await keyboard.press('Enter')
    await heading(page, 'Road map')
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 40; presses++) {
        await keyboard.press('Tab')
        const focused = page.locator(':focus')
        if ((await focused.count()) > 0 && (await focused.evaluate((element) => element.textContent)) === name) return
      }
      assert.fail(`${name} cannot be reached with Tab`)
    }
    await page.locator('body').press('Home')
    await tabTo('Give access')
    await keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Users' }).and(page.locator(':focus')).waitFor()
    await keyboard.type('lovelace')
    await page.getByRole('option').filter({ hasText: 'Ada Lovelace' }).waitFor()
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove ada' }).waitFor()
    await keyboard.press('Tab')
    await keyboard.press('ArrowDown')
    await keyboard.press('Tab')
    await keyboard.press('ArrowDown')
    await tabTo('Preview')
    await keyboard.press('Enter')
    await says(page, '1 person gains access as editor')
    await tabTo('Apply')
    await keyboard.press('Enter')
    await row(page, 'Ada Lovelace').waitFor()
    const { accessRole, expiresAt } = (await grantOf(company, 'ada', 'roadmap')) ?? {}
    assert.equal(accessRole, 'editor')
    assert.notEqual(expiresAt, undefined)
  })
})
