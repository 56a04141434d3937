{{/* Name of the installation, and the beginning of the names of its objects. */}}
{{- define "mlplace.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which services and policies select pods: they never change. Takes root and component. */}}
{{- define "mlplace.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of every object. Takes root, component and optionally more, labels of this object alone. */}}
{{- define "mlplace.labels" -}}
{{ include "mlplace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: mlplace
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with merge (dict) (.more | default dict) .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* `metadata` of an object. Takes root, component, name, a suffix of the installation's name, and optionally more. */}}
{{- define "mlplace.metadata" -}}
name: {{ include "mlplace.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "mlplace.labels" . | nindent 2 }}
{{- end -}}

{{/* Full DNS name of one of the installation's services: nginx has no search domains. Takes root and name. */}}
{{- define "mlplace.host" -}}
{{ include "mlplace.fullname" .root }}-{{ .name }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end -}}

{{/* Host names and networks of the edge's pods and of others, whose X-Forwarded-For is believed. Takes root and others. */}}
{{- define "mlplace.trustedProxies" -}}
{{- $edge := printf "%s." (include "mlplace.host" (dict "root" .root "name" "edge-pods")) -}}{{/* no search domain */}}
{{- prepend .others $edge | join "," -}}
{{- end -}}

{{- define "mlplace.publicUrl" -}}
{{- .Values.publicUrl | default (ternary "http://localhost:8080" "" .Values.evaluation) -}}
{{- end -}}

{{- define "mlplace.publicHost" -}}
{{- (urlParse (include "mlplace.publicUrl" .)).hostname -}}
{{- end -}}

{{- define "mlplace.isHttps" -}}
{{- if hasPrefix "https://" (include "mlplace.publicUrl" .) }}true{{ end -}}
{{- end -}}

{{/* Whether the gates encrypt their port themselves. */}}
{{- define "mlplace.gatesUseTls" -}}
{{- if .Values.mlpgateway.tls.existingSecret }}true{{ end -}}
{{- end -}}

{{/* Whether instances use TLS to the advertised addresses of the gates. */}}
{{- define "mlplace.instancesUseTls" -}}
{{- if or (eq .Values.mlpgateway.outside.mode "ingress") (include "mlplace.gatesUseTls" .) }}true{{ end -}}
{{- end -}}

{{/* `host:port` to which instances connect before a gate has announced itself. */}}
{{- define "mlplace.publicGrpcAddress" -}}
{{- $outside := .Values.mlpgateway.outside -}}
{{- if .Values.publicGrpcAddress -}}
{{- .Values.publicGrpcAddress -}}
{{- else if eq $outside.mode "ingress" -}}
{{- printf "%s:443" (replace "{index}" "0" $outside.ingress.host) -}}
{{- else if eq $outside.mode "loadBalancer" -}}
{{- printf "%s:%d" $outside.loadBalancer.host (int $outside.loadBalancer.firstPort) -}}
{{- else -}}
{{- printf "%s:8090" (include "mlplace.host" (dict "root" . "name" "edge")) -}}
{{- end -}}
{{- end -}}

{{/* The most gates that this release may run: each needs an address outside. */}}
{{- define "mlplace.mostGates" -}}
{{- $gates := .Values.mlpgateway -}}
{{- if $gates.autoscaling.enabled -}}{{ $gates.autoscaling.maxReplicas }}{{- else -}}{{ $gates.replicas }}{{- end -}}
{{- end -}}
