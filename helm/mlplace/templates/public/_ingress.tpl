{{/* `spec` of an Ingress of all public hosts to a port of the edge. Takes root, path and port. */}}
{{- define "mlplace.ingressSpec" -}}
{{- $root := .root -}}
{{- $path := .path -}}
{{- $port := .port -}}
{{- with $root.Values.ingress.className }}
ingressClassName: {{ . | quote }}
{{- end }}
{{- with $root.Values.ingress.tls }}
tls: {{- toYaml . | nindent 2 }}
{{- end }}
rules:
  {{- range prepend $root.Values.whiteLabelHosts (include "mlplace.publicHost" $root) }}
  - host: {{ . | quote }}
    http:
      paths:
        - path: {{ $path }}
          pathType: Prefix
          backend:
            service: { name: {{ include "mlplace.fullname" $root }}-edge, port: { name: {{ $port }} } }
  {{- end }}
{{- end -}}
