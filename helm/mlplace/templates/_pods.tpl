{{/* The pod security standard "restricted". Takes user, a numeric id that is also the group of volumes. */}}
{{- define "mlplace.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .user }}
runAsGroup: {{ .user }}
fsGroup: {{ .user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "mlplace.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* What every pod of the platform begins with. Takes root, component and values. No pod needs the API server. */}}
{{- define "mlplace.podCommon" -}}
serviceAccountName: {{ include "mlplace.fullname" .root }}
automountServiceAccountToken: false
{{ include "mlplace.placement" . }}
{{- end -}}

{{/* Where a pod runs, and what it may pull. Takes root and values. */}}
{{- define "mlplace.placement" -}}
enableServiceLinks: false
{{- include "mlplace.pullSecrets" .root }}
{{- with .values.priorityClassName | default .root.Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .values.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Replicas are spread over zones and nodes as far as possible. Takes root, component and values. */}}
{{- define "mlplace.spread" -}}
topologySpreadConstraints:
  {{- if .values.topologySpreadConstraints }}
  {{- toYaml .values.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "mlplace.selector" (dict "root" $.root "component" $.component) | nindent 8 }}
  {{- end }}
  {{- end }}
{{- end -}}

{{/* Startup, liveness and readiness over HTTP. Takes port. Live: the process answers. Ready: it can serve calls. */}}
{{- define "mlplace.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: {{ .port }} }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health/live, port: {{ .port }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /health/ready, port: {{ .port }} }
  periodSeconds: 3
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
