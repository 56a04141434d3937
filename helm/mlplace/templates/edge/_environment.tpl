{{/* Variables of the edge, which nginx puts into the templates of gateway-config. */}}
{{- define "mlplace.edgeVariables" -}}
{{- $values := .Values.edge -}}
{{- $host := dict -}}
{{- range $service := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" -}}
{{- $_ := set $host $service (include "mlplace.host" (dict "root" $ "name" (printf "%s-pods" $service))) -}}
{{- end -}}
- { name: NGINX_ENVSUBST_FILTER, value: ^EDGE_ }
{{- with $values.resolver }}
- { name: EDGE_RESOLVER, value: {{ . | quote }} }
{{- end }}
- { name: EDGE_PAGES, value: /usr/share/nginx/html }
- { name: EDGE_HTTP_LISTEN, value: "8080" }
- { name: EDGE_GRPC_LISTEN, value: "8090" }
{{- range $service, $name := $host }}
- { name: EDGE_{{ upper $service }}, value: "{{ $name }}:8080" }
{{- end }}
- name: EDGE_GATE
  value: "{{ $host.mlpgateway }}:{{ ternary "8091" "8090" (not (empty (include "mlplace.gatesUseTls" .))) }}"
- { name: EDGE_SIGN_INS_PER_MINUTE, value: {{ $values.signInsPerMinute | quote }} }
- { name: EDGE_GRPC_STREAMS_PER_ADDRESS, value: {{ $values.grpcStreamsPerAddress | quote }} }
- { name: EDGE_CONNECTIONS_PER_ADDRESS, value: {{ $values.connectionsPerAddress | quote }} }
- { name: EDGE_BUILD_NUMBER, value: {{ .Chart.AppVersion | quote }} }
- { name: EDGE_BUILD_DATE, value: "" }
- { name: EDGE_BUILD_BRANCH, value: "" }
{{- with $values.extraEnv }}{{ toYaml . | nindent 0 }}{{ end }}
{{- end -}}
