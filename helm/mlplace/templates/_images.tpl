{{/* Reference of an image of the platform: registry/repository/name:tag, or @digest. Takes root, name and image, the component's own values. */}}
{{- define "mlplace.image" -}}
{{- $common := .root.Values.image -}}
{{- $own := .image | default dict -}}
{{- $repository := $own.repository | default (printf "%s/%s" $common.repository .name) -}}
{{- $registry := $own.registry | default $common.registry -}}
{{- $path := ternary (printf "%s/%s" $registry $repository) $repository (not (empty $registry)) -}}
{{- if $own.digest -}}
{{- printf "%s@%s" $path $own.digest -}}
{{- else -}}
{{- printf "%s:%s" $path ($own.tag | default $common.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* `image` and `imagePullPolicy` of a container. Takes what mlplace.image takes. */}}
{{- define "mlplace.containerImage" -}}
image: {{ include "mlplace.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end -}}

{{- define "mlplace.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}
