{{/* Names that Kubernetes would refuse only after the hooks have run. */}}
{{- define "mlplace.checkNames" -}}
{{- $name := include "mlplace.fullname" . -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) -}}
{{- fail (printf "The name %s cannot be that of a Service: begin fullnameOverride with a letter, and use a-z, 0-9 and - only." $name) -}}
{{- end -}}
{{- range $host := prepend .Values.whiteLabelHosts (include "mlplace.publicHost" .) -}}
{{- if not (include "mlplace.isHost" $host) -}}
{{- fail (printf "%s in publicUrl or whiteLabelHosts is not the name of a host." $host) -}}
{{- end -}}
{{- end -}}
{{- if gt (regexFind ":[0-9]+$" (include "mlplace.publicUrl" .) | trimPrefix ":" | int) 65535 -}}
{{- fail "publicUrl has a port above 65535." -}}
{{- end -}}
{{- include "mlplace.checkLabels" (dict "path" "commonLabels" "labels" .Values.commonLabels) -}}
{{- range $component := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" "edge" "agent" "tools" -}}
{{- include "mlplace.checkLabels" (dict "path" (printf "%s.podLabels" $component) "labels" (index $.Values $component).podLabels) -}}
{{- end -}}
{{- end -}}

{{/* Whether a text can be the name of a host, as Kubernetes takes it. */}}
{{- define "mlplace.isHost" -}}
{{- $label := "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?" -}}
{{- if and (le (len .) 253) (regexMatch (printf "^%s([.]%s)*$" $label $label) .) -}}true{{- end -}}
{{- end -}}

{{/* Takes path and labels. */}}
{{- define "mlplace.checkLabels" -}}
{{- range $label := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/part-of" "app.kubernetes.io/managed-by" "helm.sh/chart" "mlplace.io/service" -}}
{{- if hasKey $.labels $label -}}
{{- fail (printf "%s sets %s, which the chart itself sets: leave it out." $.path $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "mlplace.checkParts" -}}
{{- if and .Values.agent.enabled (not .Values.agent.tokens.existingSecret) -}}
{{- fail "agent.tokens.existingSecret is empty: name the Secret with the one-time token of each node." -}}
{{- end -}}
{{- if and (not .Values.mail.host) (or .Values.mail.user .Values.mail.existingSecret) -}}
{{- fail "mail.host is empty: without it no mail is sent, whatever mail.user and mail.existingSecret are." -}}
{{- end -}}
{{- if ne (empty .Values.mail.user) (empty .Values.mail.existingSecret) -}}
{{- fail "mail.user and mail.existingSecret belong together: set both, or none for a server without sign-in." -}}
{{- end -}}
{{- if and .Values.monitoring.serviceMonitor.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "networkPolicy.metricsFrom is empty: name the pods of Prometheus, or the network policies would keep it from the metrics." -}}
{{- end -}}
{{- if ge (int .Values.migrations.patienceSeconds) (int .Values.migrations.timeoutSeconds) -}}
{{- fail "migrations.patienceSeconds is not smaller than migrations.timeoutSeconds: the job would be ended before it says which store is missing." -}}
{{- end -}}
{{- end -}}

{{/* A misspelt setting would have no effect, and nobody would notice. */}}
{{- define "mlplace.checkSettings" -}}
{{- $page := .Files.Get "files/settings.md" -}}
{{- $sections := dict "settings" .Values.settings -}}
{{- range $service := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" -}}
{{- $_ := set $sections (printf "%s.settings" $service) (index $.Values $service).settings -}}
{{- end -}}
{{- range $path, $settings := $sections -}}
{{- range $name, $_ := $settings -}}
{{- if not (contains (printf "\n| `%s` |" $name) $page) -}}
{{- fail (printf "%s.%s is no setting: docs/settings.md lists them." $path $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
