{{/* The names, labels and parts of pods that several templates share. */}}

{{- define "commonhold.fullname" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- .Values.fullnameOverride | default $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* The labels that selectors use. Takes a list: the context, the component. */}}
{{- define "commonhold.selector" -}}
app.kubernetes.io/name: commonhold
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* The labels of an object. Takes a list: the context, the component. */}}
{{- define "commonhold.labels" -}}
{{ include "commonhold.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "commonhold.image" -}}
{{ required "image.repository is required: the name under which you pushed the image that deploy/Dockerfile builds." .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "commonhold.publicUrl" -}}
{{ required "settings.PUBLIC_URL is required: the address at which callers reach the server, such as https://commonhold.example.com." .Values.settings.PUBLIC_URL }}
{{- end -}}

{{/* Whether the container gets a variable from extraEnv. Takes a list: the context, the name. Empty: no. */}}
{{- define "commonhold.isExtra" -}}
{{- $name := index . 1 -}}
{{- range (index . 0).Values.extraEnv }}{{ if eq .name $name }}yes{{ end }}{{ end -}}
{{- end -}}

{{/* The name of the secret with the settings that are secret. Fails without the two that the server needs. */}}
{{- define "commonhold.secret" -}}
{{- $context := . -}}
{{- if .Values.existingSecret -}}
{{- if .Values.secrets }}{{ fail "existingSecret and secrets exclude each other: put all secret settings into one of them." }}{{ end -}}
{{- else -}}
{{- range tuple "DATABASE_URL" "MASTER_KEY" -}}
{{- if and (not (index $context.Values.secrets .)) (not (include "commonhold.isExtra" (list $context .))) -}}
{{- fail (printf "%s is required: name a secret with it in existingSecret, or set secrets.%s." . .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ .Values.existingSecret | default (include "commonhold.fullname" .) }}
{{- end -}}

{{/* Who the containers run as, and where. */}}
{{- define "commonhold.pod" -}}
automountServiceAccountToken: false
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What a container may do: nothing beyond its process. */}}
{{- define "commonhold.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: ["ALL"]
{{- with .Values.extraVolumeMounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
