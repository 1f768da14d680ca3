/** The objects of deploy/kubernetes, and the validation of any object against the schemas of the Kubernetes API. */
import assert from 'node:assert/strict'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Secret, Service } from 'kubernetes-models/v1'
import { parseAllDocuments } from 'yaml'
import { files, read } from './sources.ts'

// biome-ignore lint/suspicious/noExplicitAny: as the kind of each object has it
export type KubernetesObject = any

const MODELS = { Deployment, HorizontalPodAutoscaler, Ingress, Job, PodDisruptionBudget, Secret, Service }

export const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).flatMap((document) => document.toJS() ?? [])

export const MANIFESTS = files('deploy/kubernetes/*.yaml').flatMap((file) => objectsOf(read(file)))

/** Throws if an object is not valid for the API of Kubernetes. */
export function validate(object: KubernetesObject): void {
  assert.ok(Object.hasOwn(MODELS, object.kind), `there is no schema of ${object.kind}`)
  const model = new MODELS[object.kind as keyof typeof MODELS](object)
  assert.equal(model.apiVersion, object.apiVersion)
  model.validate()
}
