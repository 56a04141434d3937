{{/* `env` of a container. Takes component and text, a list of variables. Fails if two values set one variable. */}}
{{- define "mlplace.variables" -}}
{{- $component := .component -}}
{{- $list := fromYamlArray .text -}}
{{- $seen := dict -}}
{{- if eq $component "mlpgateway" -}}
{{- $_ := set $seen "MLP_MLPGATEWAY_GRPC_ADVERTISED_ADDRESS" true -}}{{/* its command sets it, for each gate another */}}
{{- end -}}
{{- range $list -}}
{{- if hasKey $seen .name -}}
{{- fail (printf "%s is set twice for %s: settings and extraEnv must not repeat what another value sets." .name $component) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- if and .value .valueFrom -}}
{{- fail (printf "%s of %s has value and valueFrom: keep one of them." .name $component) -}}
{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/* Settings of every process of the platform, as `env`, without those of `settings`. Takes root. */}}
{{- define "mlplace.processEnvironment" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $keys := include "mlplace.keysSecret" $root -}}
{{- range $name := list "MLP_INTERNAL_TOKEN" "MLP_HASH_SECRET" "MLP_ENVELOPE_KEY" }}
{{ include "mlplace.secretVariable" (dict "name" $name "secret" $keys) }}
{{- end }}
{{- range $name := list "MLP_INTERNAL_TOKEN_ALSO" "MLP_ENVELOPE_KEY_PREVIOUS" }}
{{ include "mlplace.secretVariable" (dict "name" $name "secret" $keys "optional" true) }}
{{- end }}
- { name: MLP_ENVIRONMENT, value: production }
- { name: MLP_TRUSTED_PROXIES, value: {{ include "mlplace.trustedProxies" (dict "root" $root "others" $values.trustedProxies) | quote }} }
- { name: MLP_SECURE_COOKIES, value: {{ ternary "true" "false" (not (empty (include "mlplace.isHttps" $root))) | quote }} }
{{- range $service := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" }}
- { name: MLP_{{ upper $service }}_URL, value: "http://{{ include "mlplace.fullname" $root }}-{{ $service }}:8080" }
{{- end }}
{{- include "mlplace.kafkaEnvironment" $root }}
{{- include "mlplace.otherStoresEnvironment" $root }}
- { name: MLP_LOG_LEVEL, value: {{ $values.telemetry.logLevel | quote }} }
{{- with $values.telemetry.otlpEndpoint }}
- { name: MLP_OTLP_ENDPOINT, value: {{ . | quote }} }
- { name: MLP_TRACE_SAMPLE_RATIO, value: {{ $values.telemetry.traceSampleRatio | quote }} }
{{- end }}
{{- with $values.mail.host }}
{{- range $name, $value := dict "HOST" $values.mail.host "PORT" $values.mail.port "SECURITY" $values.mail.security "SENDER" $values.mail.sender "USER" $values.mail.user }}
- { name: MLP_SMTP_{{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with $values.mail.existingSecret }}
{{ include "mlplace.secretVariable" (dict "name" "MLP_SMTP_PASSWORD" "secret" .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* `settings` as `env`. Takes a map. */}}
{{- define "mlplace.settings" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end -}}

{{- define "mlplace.kafkaEnvironment" -}}
{{- $kafka := .Values.stores.kafka -}}
{{- if .Values.evaluation }}
- { name: MLP_BUS, value: "kafka://{{ include "mlplace.fullname" . }}-kafka:9092" }
{{- else }}
- { name: MLP_BUS, value: "kafka://{{ join "," $kafka.brokers }}" }
- { name: MLP_KAFKA_REPLICATION_FACTOR, value: {{ $kafka.replicationFactor | quote }} }
- { name: MLP_KAFKA_MIN_INSYNC_REPLICAS, value: {{ $kafka.minInsyncReplicas | quote }} }
{{- with $kafka.topicPrefix }}
- { name: MLP_KAFKA_TOPIC_PREFIX, value: {{ . | quote }} }
{{- end }}
{{- if $kafka.tls.enabled }}
- { name: MLP_KAFKA_TLS, value: "true" }
{{- if $kafka.tls.existingSecret }}
- { name: MLP_KAFKA_TLS_CA, value: /etc/mlplace/kafka/ca.crt }
{{- if $kafka.tls.clientCertificate }}
- { name: MLP_KAFKA_TLS_CERTIFICATE, value: /etc/mlplace/kafka/tls.crt }
- { name: MLP_KAFKA_TLS_KEY, value: /etc/mlplace/kafka/tls.key }
{{- end }}
{{- end }}
{{- end }}
{{- with $kafka.sasl.mechanism }}
- { name: MLP_KAFKA_SASL_MECHANISM, value: {{ . | quote }} }
{{- range $name := list "MLP_KAFKA_SASL_USER" "MLP_KAFKA_SASL_PASSWORD" }}
{{ include "mlplace.secretVariable" (dict "name" $name "secret" $kafka.existingSecret) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "mlplace.otherStoresEnvironment" -}}
{{- $s3 := .Values.stores.s3 -}}
{{- $redis := include "mlplace.storeSecret" (dict "root" . "store" "redis") -}}
{{- if $redis }}
{{ include "mlplace.secretVariable" (dict "name" "MLP_REDIS_URL" "secret" $redis) }}
{{- end }}
- { name: MLP_S3_ENDPOINT, value: {{ ternary (printf "http://%s-s3:7070" (include "mlplace.fullname" .)) $s3.endpoint .Values.evaluation | quote }} }
- { name: MLP_S3_BUCKET, value: {{ $s3.bucket | quote }} }
- { name: MLP_S3_REGION, value: {{ $s3.region | quote }} }
{{- range $name := list "MLP_S3_ACCESS_KEY" "MLP_S3_SECRET_KEY" }}
{{ include "mlplace.secretVariable" (dict "name" $name "secret" (include "mlplace.storeSecret" (dict "root" $ "store" "s3"))) }}
{{- end }}
{{- end -}}

{{/* Volumes and mounts of certificates that the settings above name. */}}
{{- define "mlplace.certificateVolumes" -}}
{{- with .Values.stores.kafka.tls.existingSecret }}
- name: kafka-tls
  secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{- define "mlplace.certificateMounts" -}}
{{- if .Values.stores.kafka.tls.existingSecret }}
- { name: kafka-tls, mountPath: /etc/mlplace/kafka, readOnly: true }
{{- end }}
{{- end -}}
