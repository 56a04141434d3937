{{/* `env` of one of the four services. Takes root, component and values. */}}
{{- define "mlplace.serviceEnvironment" -}}
{{- include "mlplace.variables" (dict "component" .component "text" (include "mlplace.serviceVariables" .)) -}}
{{- end -}}

{{- define "mlplace.serviceVariables" -}}
{{- $root := .root -}}
{{- $service := .component -}}
{{- $databases := include "mlplace.storeSecret" (dict "root" $root "store" "postgresql") -}}
{{- include "mlplace.processEnvironment" (dict "root" $root) }}
{{ include "mlplace.secretVariable" (dict "name" (printf "MLP_%s_DATABASE_URL" (upper $service)) "secret" $databases) }}
{{- if has $service (list "mlpcore" "mlpgateway") }}
{{ include "mlplace.secretVariable" (dict "name" "MLP_METRICS_TOKEN" "secret" (include "mlplace.keysSecret" $root) "optional" true) }}
{{- end }}
{{- if has $service (list "mlpcore" "mlpbilling") }}
- { name: MLP_{{ upper $service }}_CURRENCY, value: {{ $root.Values.currency }} }
{{- end }}
{{- if eq $service "accountsadmin" }}
- { name: MLP_ACCOUNTSADMIN_PUBLIC_URL, value: {{ include "mlplace.publicUrl" $root | quote }} }
{{- else if eq $service "mlpcore" }}
- { name: MLP_MLPCORE_PUBLIC_REST_URL, value: {{ include "mlplace.publicUrl" $root | quote }} }
- { name: MLP_MLPCORE_PUBLIC_GRPC_ADDRESS, value: {{ include "mlplace.publicGrpcAddress" $root | quote }} }
- { name: MLP_MLPCORE_PUBLIC_GRPC_SECURE, value: {{ ternary "true" "false" (not (empty (include "mlplace.instancesUseTls" $root))) | quote }} }
{{- with $root.Values.license.existingSecret }}
- { name: MLP_MLPCORE_LICENSE_FILE, value: /etc/mlplace/license/license }
{{ include "mlplace.secretVariable" (dict "name" "MLP_MLPCORE_LICENSE_PUBLIC_KEY" "secret" .) }}
{{- end }}
{{- else if eq $service "mlpbilling" }}
- { name: MLP_MLPBILLING_PAYMENT_PROVIDER, value: {{ $root.Values.paymentProvider | quote }} }
{{- else if eq $service "mlpgateway" }}
{{- include "mlplace.gateEnvironment" $root }}
{{- end }}
{{- include "mlplace.settings" $root.Values.settings }}
{{- include "mlplace.settings" .values.settings }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
