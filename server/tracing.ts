/**
 * Traces by OpenTelemetry, sent as OTLP in JSON over HTTP to the collector at `OTEL_EXPORTER_OTLP_ENDPOINT` (ADR 0022).
 * This file and its packages are loaded only when that is set. The packages read the other variables of the standard.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  type Span as SpanOfApi,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from '#platform/log.ts'
import type { Span, SpanOptions, Tracing } from '#platform/tracing.ts'
import type { Config } from './config.ts'

const STOP_TIMEOUT_MS = 5_000

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const

const propagator = new W3CTraceContextPropagator()
const around = new AsyncLocalStorage<TracedSpan>()

class TracedSpan implements Span {
  readonly context: Context
  readonly #span: SpanOfApi

  constructor(span: SpanOfApi) {
    this.#span = span
    this.context = trace.setSpan(ROOT_CONTEXT, span)
  }

  get traceId(): string {
    return this.#span.spanContext().traceId
  }

  get link() {
    return { context: this.#span.spanContext() }
  }

  run<T>(work: () => T): T {
    return around.run(this, work)
  }

  set(attributes: Record<string, string | number>): void {
    this.#span.setAttributes(attributes)
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = {}
    propagator.inject(this.context, headers, defaultTextMapSetter)
    return headers
  }

  fail(error: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', error)
  }

  end(): void {
    this.#span.end()
  }
}

export function startTracing(config: Config, version: string, log: Log): Tracing {
  diag.setLogger(diagnostics(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const resource = resourceFromAttributes({ 'service.name': 'commonhold', 'service.version': version })
  const provider = new TracerProvider({
    resource: resource.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  const tracer = provider.getTracer('commonhold', version)
  return {
    current: () => around.getStore(),
    begin(name, { kind, attributes = {}, parent = around.getStore(), links = [] }: SpanOptions = {}) {
      const options = {
        attributes,
        links: links.map((span) => (span as TracedSpan).link),
        ...(kind && { kind: KINDS[kind] }),
      }
      return new TracedSpan(tracer.startSpan(name, options, contextOf(parent)))
    },
    record(name, { began, ended, attributes, error }) {
      const parent = around.getStore()
      if (parent === undefined) return
      const startTime = performance.timeOrigin + began
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime }, parent.context)
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', error)
      span.end(performance.timeOrigin + ended)
    },
    async stop() {
      const exported = provider
        .shutdown()
        .catch((err: unknown) => log.warn({ err }, 'traces: the last spans could not be exported'))
      await Promise.race([exported, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}

function contextOf(parent: SpanOptions['parent']): Context {
  if (parent === undefined || parent === 'none') return ROOT_CONTEXT
  if (parent instanceof TracedSpan) return parent.context
  return propagator.extract(ROOT_CONTEXT, parent as IncomingHttpHeaders, defaultTextMapGetter)
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio)
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Logs the diagnostics of the packages, such as that the endpoint cannot be reached. */
const diagnostics = (log: Log) => {
  const warn = (message: string, ...more: unknown[]) => log.warn({ more: more.map(String) }, `traces: ${message}`)
  return { error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} }
}
