{{/* Settings of a gate: how proxies, its peers and instances reach this pod. */}}
{{- define "mlplace.gateEnvironment" -}}
{{- $gates := .Values.mlpgateway -}}
{{- $tls := include "mlplace.gatesUseTls" . }}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- { name: MLP_MLPGATEWAY_USAGE_SPOOL_DIR, value: /var/lib/mlplace/usage }
- { name: MLP_MLPGATEWAY_USAGE_SPOOL_BYTES, value: {{ $gates.usage.spoolBytes | int64 | toString | quote }} }
- { name: MLP_MLPGATEWAY_GRPC_HOST, value: "0.0.0.0" }
- { name: MLP_MLPGATEWAY_GRPC_PORT, value: "8090" }
- name: MLP_MLPGATEWAY_GRPC_INTERNAL_ADDRESS
  value: "$(POD_NAME).{{ include "mlplace.host" (dict "root" . "name" "gates") }}:{{ ternary 8091 8090 (not (empty $tls)) }}"
{{- if $tls }}
- { name: MLP_MLPGATEWAY_GRPC_INTERNAL_PORT, value: "8091" }
- { name: MLP_MLPGATEWAY_GRPC_TLS_CERTIFICATE, value: /etc/mlplace/tls/tls.crt }
- { name: MLP_MLPGATEWAY_GRPC_TLS_KEY, value: /etc/mlplace/tls/tls.key }
{{- end }}
- name: MLP_MLPGATEWAY_TRUSTED_PROXIES # clients of the gates' own ports can send any X-Forwarded-For
  value: {{ include "mlplace.trustedProxies" (dict "root" . "others" $gates.trustedProxies) | quote }}
{{- if eq $gates.outside.mode "loadBalancer" }}
- { name: MLP_MLPGATEWAY_GRPC_UNPROVEN_PER_ADDRESS, value: {{ $gates.outside.loadBalancer.unprovenPerProxy | quote }} }
{{- end }}
- { name: MLP_MLPGATEWAY_SETTLE_SECONDS, value: "2" } # longer than the edge considers a gate dead (fail_timeout)
- { name: MLP_MLPGATEWAY_CONNECTION_SECONDS, value: "4" } # longer than the edge keeps a connection (keepalive_time)
- { name: MLP_MLPGATEWAY_DRAIN_SECONDS, value: {{ $gates.drainSeconds | quote }} }
{{- end -}}

{{/* Starts a gate with the address that it advertises to instances. The number of the pod is the end of its name. */}}
{{- define "mlplace.gateCommand" -}}
{{- $outside := .Values.mlpgateway.outside -}}
{{- $address := "" -}}
{{- if eq $outside.mode "ingress" -}}
{{- $address = printf "%s:443" (replace "{index}" "${POD_NAME##*-}" $outside.ingress.host) -}}
{{- else if eq $outside.mode "loadBalancer" -}}
{{- $address = printf "%s:$((%d + ${POD_NAME##*-}))" $outside.loadBalancer.host (int $outside.loadBalancer.firstPort) -}}
{{- else -}}
{{- $address = printf "$POD_NAME.%s:8090" (include "mlplace.host" (dict "root" . "name" "gates")) -}}
{{- end -}}
MLP_MLPGATEWAY_GRPC_ADVERTISED_ADDRESS="{{ $address }}" exec python -m mlpgateway serve
{{- end -}}
