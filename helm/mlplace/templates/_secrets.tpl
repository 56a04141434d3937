{{/* Secret with the installation's keys. */}}
{{- define "mlplace.keysSecret" -}}
{{- .Values.keys.existingSecret | default (printf "%s-keys" (include "mlplace.fullname" .)) -}}
{{- end -}}

{{/* Secret with the addresses and passwords of a store. Takes root and store. */}}
{{- define "mlplace.storeSecret" -}}
{{- if .root.Values.evaluation -}}
{{- include "mlplace.fullname" .root }}-stores
{{- else -}}
{{- (index .root.Values.stores .store).existingSecret -}}
{{- end -}}
{{- end -}}

{{/* An environment variable whose value is the key of the same name in a secret. Takes name, secret and, for a key that may be missing, optional. */}}
{{- define "mlplace.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret | quote }}, key: {{ .name }}{{ if .optional }}, optional: true{{ end }} }
{{- end -}}
