/** Commands that give access say what they give and what was there before, and those that are repeated that nothing changed. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { sharedServer } from '#testing/server.ts'
import { linesOf, newWorld } from './support/cli-world.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })

describe('a command that gives access', () => {
  it('names the role, the resource, the expiry and who else has access, and warns of public resources', async () => {
    const { ok, run } = await newWorld(server.url)
    await ok('doc', 'add', 'roadmap', '--org', 'acme', '--create-org')
    await ok('grant', 'add', 'bob', 'document:roadmap', '--org', 'acme', '--role', 'viewer')
    const { stdout, stderr } = await run('grant', 'add', 'ada', 'document:roadmap', '--org', 'acme')
    assert.match(stdout, /^✓ ada has editor on document:roadmap in acme\.\n/)
    assert.match(
      stdout,
      /\n {2}Also with access to document:roadmap in acme: everyone \(editor\) and bob \(viewer\)\.\n$/,
    )
    assert.match(
      stderr,
      /^Without --role the role is editor\.\nwarning {2}Every user of the API key has access as editor/,
    )
    assert.equal(stderr.match(/^warning/gm)?.length, 1, stderr)
    const asUser = await run('grant', 'add', 'group:design', 'document:roadmap', '--org', 'acme', '--role', 'viewer')
    assert.match(
      asUser.stderr,
      /\n! The grant is for a user with the id group:design\. For the user group design: commonhold group grant design /,
    )
    await ok('grant', 'remove', 'group:design', 'document:roadmap', '--org', 'acme')
    const temporary = 'grant add ada document:roadmap --org acme --role viewer --expires 1h'.split(' ')
    const stays =
      /until \S+Z, in \S+ minutes\. The standing grant as editor stays and .*, so the access does not change\./
    assert.match(await ok(...temporary), stays)
    assert.match(await ok(...temporary.map((word) => (word === 'viewer' ? 'editor' : word))), stays)
    await ok(...temporary)
    const again = await ok('grant', 'add', 'ada', 'document:roadmap', '--org', 'acme', '--role', 'editor')
    assert.match(again, /^✓ .* Already there, unchanged\.\n/)
    const change = await ok('grant', 'add', 'ada', 'document:roadmap', '--org', 'acme', '--role', 'viewer')
    assert.match(change, /^✓ ada has viewer on document:roadmap in acme\. Before: editor\.\n/)
    const longer = 'grant add ada document:roadmap --org acme --role editor --expires 2h'.split(' ')
    assert.match(await ok(...longer), /then viewer again\. Before: viewer until \S+Z\.\n/)
    const replacing = await ok(...'grant add ada document:roadmap --org acme --role editor --replace'.split(' '))
    assert.match(replacing, /^✓ ada has editor on document:roadmap in acme\. Before: .*\bviewer\b.* and .*\.\n/)
    const group = ['--org', 'acme']
    await ok('user', 'add', 'ada', ...group, '--role', 'editor')
    assert.match(await ok('user', 'add', 'ada', ...group, '--role', 'editor'), /^✓ ada {2}Already there, unchanged\.\n/)
    assert.match(await ok('user', 'add', 'ada', ...group, '--role', 'viewer'), /^✓ ada {2}Already there, changed\.\n/)
    await ok('user', 'add', 'ada', ...group, '--role', 'editor')
    await ok('group', 'add', 'design', ...group, '--name', 'Design')
    const group2 = await ok('group', 'add', 'design', ...group, '--name', 'Design')
    assert.equal(group2, '✓ design  Already there, unchanged.\n')
    await ok('folder', 'add', 'work', ...group)
    for (const [noun, id, change] of [
      ['group', 'design', 'group rename design NAME'],
      ['doc', 'roadmap', 'doc update roadmap'],
      ['folder', 'work', 'folder update work'],
    ] as const) {
      const { code, stderr } = await run(noun, 'add', id, ...group, '--name', 'Other')
      assert.equal(code, 5)
      const next = `next {3}To change it: commonhold ${change} --org ORGANIZATION`
      assert.match(stderr, new RegExp(`^✗ ${id}  The .* already exists\\.\n${next}\n$`))
    }
    const missing = await run('doc', 'get', 'nope', 'neither', ...group)
    assert.equal(missing.stderr.match(/^next {3}To list them: commonhold doc list --org ORGANIZATION$/gm)?.length, 1)
    assert.equal(await ok('doc', 'add', 'roadmap', ...group), '✓ roadmap  Already there, unchanged.\n')
    await ok('folder', 'add', 'plans', ...group, '--access', 'restricted')
    const folder = await ok('folder', 'add', 'plans', ...group, '--access', 'restricted')
    assert.equal(folder, '✓ plans  Already there, unchanged.\n')
    assert.equal(await ok('domain', 'add', 'a.example.com'), '✓ a.example.com  Allowed.\n')
    assert.equal(
      await ok('domain', 'add', 'b.example.com', 'a.example.com'),
      '✓ b.example.com  Allowed.\n✓ a.example.com  Already there, unchanged.\n',
    )
    const removed = await ok('domain', 'remove', 'b.example.com', 'c.example.com')
    assert.equal(removed, '✓ b.example.com  Removed.\n✓ c.example.com  Not an allowed domain; unchanged.\n')
    const given = await ok(...'group grant design document:roadmap --org acme --role viewer --expires 30d'.split(' '))
    assert.match(given, /^✓ group:design has viewer on document:roadmap in acme, until \S+Z, in 30 days\.\n/)
    const toGroup = ['group', 'grant', 'design', 'document:roadmap', ...group, '--role']
    assert.match(await ok(...toGroup, 'viewer'), /^✓ group:design has viewer on document:roadmap in acme\.\n/)
    assert.match(await ok(...toGroup, 'viewer'), /^✓ group:design has viewer .* Already there, unchanged\.\n/)
    assert.match(await ok(...toGroup, 'editor'), /^✓ group:design has editor .* Before: viewer\.\n/)
    const joined = await ok('group', 'join', 'design', 'ada', ...group)
    assert.match(joined, /^✓ ada {2}User added/)
    assert.match(joined, /\n {2}Members of group:design have editor on document:roadmap in acme\.\n/)
    assert.match(
      joined,
      /\n {2}Members of group:design have viewer on document:roadmap in acme, until \S+Z, in 30 days\.\n/,
    )
    assert.match(await ok('group', 'join', 'design', 'ada', ...group), /^✓ ada {2}Already there, unchanged\./)
    const fromGroup = ['group', 'revoke', 'design', 'document:roadmap', ...group]
    assert.equal(await ok(...fromGroup), '✓ Removed the grant of group:design on document:roadmap in acme.\n')
    assert.equal(await ok(...fromGroup), '✓ group:design had no grant on document:roadmap in acme.\n')
    for (const item of [
      ['org', 'acme'],
      ['doc', 'roadmap', ...group],
    ] as const) {
      const [noun = '', ...which] = item
      assert.match(await ok(noun, 'disable', ...which), /disabled successfully/)
      assert.match(await ok(noun, 'disable', ...which), /Already disabled, unchanged\.\n$/)
      assert.match(await ok(noun, 'enable', ...which), /enabled successfully/)
      assert.match(await ok(noun, 'enable', ...which), /Not disabled, unchanged\.\n$/)
    }
    for (const change of [
      'org update acme --name Acme',
      'folder update plans --org acme --name Plans',
      'doc update roadmap --org acme --name Roadmap',
      'doc move roadmap --org acme --to plans',
      'doc move roadmap --org acme --to root',
      'doc access roadmap --org acme --type restricted',
      'doc access roadmap --org acme --inherit',
      'folder access plans --org acme --type public',
      'folder access plans --org acme --inherit',
      'group rename design Team --org acme',
      'user update ada --org acme --name Ada',
    ]) {
      const words = change.split(' ')
      assert.match(await ok(...words), /d successfully\.\n/, change)
      assert.match(await ok(...words), /^✓ \S+ {2}Unchanged\.\n/, change)
    }
    const raised = ['user', 'update', 'ada', ...group, '--role', 'viewer']
    assert.match(await ok(...raised), /^✓ ada {2}.*\n {2}ada has viewer on organization:acme\.\n/)
    const neither = await run('doc', 'access', 'roadmap', ...group)
    assert.match(neither.stderr, /^error {2}--type is required unless --inherit is true/)
    const invited = await ok('invitation', 'add', 'lin@example.com', 'organization:acme', '--role', 'viewer')
    assert.match(invited, /^✓ lin@example\.com is invited, and accepting gives viewer on organization:acme\.\n/)
    const invite = ['invitation', 'add', 'lin@example.com', 'organization:acme', '--role']
    assert.match(await ok(...invite, 'viewer'), /^✓ lin@example\.com {2}Already there, unchanged\.\n/)
    assert.match(await ok(...invite, 'editor'), /is invited, and accepting gives editor/)
  })

  it('invites to resources as it grants on them, and answers invitations in the same words', async () => {
    const { ok, run } = await newWorld(server.url)
    await ok('doc', 'add', 'roadmap', '--org', 'acme', '--create-org')
    await ok('folder', 'add', 'plans', '--org', 'acme')
    const invite = ['invitation', 'add', 'lin@example.com']
    const places = [['organization:acme'], ['folder:plans', '--org', 'acme'], ['doc:roadmap', '-o', 'acme']]
    for (const place of places) await ok(...invite, ...place, '--role', 'viewer')
    await ok(...invite, 'organization:acme', '--org', 'acme', '--role', 'viewer')
    const pending = async () => (await ok('invitation', 'list', '--org', 'acme', '--pending')).split('\n').slice(1)
    const words = (await pending()).map((line) => line.split(/ +/).slice(1, 3).join(' '))
    assert.deepEqual(words.sort(), ['', 'doc_user roadmap', 'folder_user plans', 'org_user viewer'])
    const elsewhere = await run(...invite, 'organization:acme', '--org', 'globex')
    assert.deepEqual([elsewhere.code, elsewhere.stdout], [2, ''])
    assert.match(elsewhere.stderr, /^error {2}--org is "globex", but the resource is in "acme"\.\nnext {3}Omit --org/)
    const nowhere = await run(...invite, 'document:roadmap', '--role', 'viewer')
    assert.match(nowhere.stderr, /^error {2}--org is required\n/)
    for (const place of places) await ok('invitation', 'withdraw', 'lin@example.com', ...place)
    assert.deepEqual(await pending(), [])
  })

  it('says what it removed, and who still has access', async () => {
    const { callers, environment, ok } = await newWorld(server.url)
    const group = ['--org', 'acme']
    await ok('doc', 'add', 'roadmap', ...group, '--create-org')
    await ok('grant', 'add', 'mia', 'document:roadmap', ...group, '--role', 'viewer')
    const remove = ['grant', 'remove', 'mia', 'document:roadmap', 'organization:acme', ...group]
    assert.equal(
      await ok(...remove, '--temporary'),
      '✓ mia had no temporary grant on document:roadmap in acme.\n✓ mia had no temporary grant on organization:acme.\n' +
        '  Still has access: User "mia" may view document "roadmap": the role of the user on it is viewer.\n',
    )
    const removed = await ok(...remove)
    assert.match(
      removed,
      /^✓ Removed the grant of mia on document:roadmap in acme\.\n✓ mia had no grant on organization:acme\.\n/,
    )
    assert.match(removed, /\n {2}Still has access: User "mia" may edit document "roadmap": .*public/)
    assert.equal(await ok('user', 'enable', 'mia'), '✓ mia  Not disabled, unchanged.\n')
    assert.match(await ok('user', 'disable', 'mia'), /^✓ mia {2}User disabled/)
    assert.equal(await ok('user', 'disable', 'mia'), '✓ mia  Already disabled, unchanged.\n')
    assert.doesNotMatch(await ok(...remove), /Still has access/)
    const writing = { apiKey: environment.COMMONHOLD_API_KEY ?? '', name: 'writing', scopes: ['write' as const] }
    const { authToken } = await callers.workspace.call(createAuthToken, writing)
    const { stdout } = await cli(remove, { ...environment, COMMONHOLD_AUTH_TOKEN: authToken.token })
    assert.match(
      stdout,
      /^✓ mia has no grant on document:roadmap in acme now\.\n✓ mia has no grant on organization:acme now\.\n$/,
    )
  })

  it('has the role and the warnings in fields with --json', async () => {
    const { ok, run } = await newWorld(server.url)
    await ok('doc', 'add', 'roadmap', '--org', 'acme', '--create-org')
    const { stdout, stderr } = await run('grant', 'add', 'ada', 'document:roadmap', '--org', 'acme', '--json')
    const { granted, warnings } = JSON.parse(stdout)
    assert.deepEqual(granted, [
      { userId: 'ada', type: 'document', id: 'roadmap', organizationId: 'acme', accessRole: 'editor' },
    ])
    assert.equal(warnings[0].code, 'public_access')
    assert.equal(stderr, '')
    const listed = linesOf(await ok('grant', 'list', '--org', 'acme', '--json'))
    assert.equal(listed.at(-1).warnings[0].code, 'public_access')
    const added = await run('user', 'add', 'bob', '--org', 'acme', '--json')
    assert.equal(JSON.parse(added.stdout).bob.success, true)
    assert.equal(JSON.parse(added.stderr).warnings[0].code, 'public_access')
  })
})
