/** The components follow a document over connections that break, and one stream serves all elements of a page. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { deleteThreads } from '#contract/comments/threads.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, ON_ROADMAP, readThread } from '#testing/threads.ts'
import { startTcpProxy } from '../lifecycle/tcp-proxy.ts'
import { newTeam } from './support/page.ts'
import { thread } from './support/steps.ts'

const server = await sharedServer()
const team = await newTeam(server)
const said = (commentText: string) =>
  addThread(team.key, { comments: [comment('bob', { commentText, triggerNotification: true })] })

describe('a page', () => {
  it('shows what was added and deleted while its connection was broken', async () => {
    const { hostname: host, port } = new URL(server.url)
    const proxy = await startTcpProxy({ host, port: Number(port) })
    cleanUp(() => proxy.close())
    const script = `configure({ url: 'http://127.0.0.1:${proxy.port}' })`
    const first = await said('Before')
    const { page } = await team.open('ada', { script })
    await thread(page, 'Before').waitFor()
    await said('Live')
    await thread(page, 'Live').waitFor()
    await proxy.shut()
    await said('Meanwhile')
    await team.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [first] })
    await proxy.open()
    await thread(page, 'Meanwhile').waitFor()
    await thread(page, 'Before').waitFor({ state: 'detached' })
    await said('Live again')
    await thread(page, 'Live again').waitFor()
  })

  it('reads again what could not be read while changes arrived', async () => {
    const { page } = await team.open('ada')
    await thread(page, 'Live again').waitFor()
    await said('By the stream')
    await thread(page, 'By the stream').waitFor()
    const reads = '**/v2/{commentannotations,notifications}/get'
    await page.route(reads, (route) => route.abort())
    await page.evaluate(
      `Promise.all(['comments', 'inbox'].map((name) => document.querySelector('commonhold-' + name).refresh()))`,
    )
    await page.getByRole('alert').getByText('could not be reached').waitFor()
    await page.unroute(reads)
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  it('shows a text with a line separator, which other servers may send as it is', async () => {
    const id = await said('Separated')
    const { page } = await team.open('ada')
    const { comments, ...known } = await readThread(team.key, id)
    const separated = comments.map((one) => ({ ...one, commentText: 'One\u2028and two' }))
    const sent = { ...known, lastUpdated: known.lastUpdated + 1, comments: separated }
    const ready = 'event: ready\ndata: {"documents":{"roadmap":true}}\n\n'
    const body = `${ready}event: thread\ndata: ${JSON.stringify({ ...ON_ROADMAP, annotationId: id, thread: sent })}\n\n`
    const headers = { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' }
    await page.route('**/v2/live', (route) => route.fulfill({ headers, body }))
    await page.reload()
    await thread(page, 'and two').waitFor()
  })

  it('opens one stream for all its elements, and closes it when they are removed', async () => {
    const { page } = await team.open('cyd')
    const streams = new Set<unknown>()
    page.on('request', (request) => request.url().endsWith('/live') && streams.add(request))
    page.on('requestfailed', (request) => request.url().endsWith('/live') && streams.delete(request))
    await page.evaluate(`document.body.append(Object.assign(document.createElement('commonhold-comments'), {
      organizationId: 'acme', documentId: 'roadmap' }))`)
    await until('one stream', () => streams.size === 1)
    await said('For both')
    await until('both lists have it', async () => (await thread(page, 'For both').count()) === 2)
    assert.equal(streams.size, 1)
    await page.evaluate(
      "document.querySelectorAll('commonhold-comments, commonhold-inbox').forEach((one) => one.remove())",
    )
    await until('no stream', () => streams.size === 0)
  })
})
