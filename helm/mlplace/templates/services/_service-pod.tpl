{{/* The pod of one of the four services: one template, rendered four times. Takes root and service. */}}
{{- define "mlplace.servicePod" -}}
{{- $root := .root -}}
{{- $service := .service -}}
{{- $values := index $root.Values $service -}}
{{- $isGate := eq $service "mlpgateway" -}}
{{- $context := dict "root" $root "component" $service "values" $values -}}
metadata:
  labels: {{- include "mlplace.labels" (set $context "more" $values.podLabels) | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "mlplace.podCommon" $context | nindent 2 }}
  {{- include "mlplace.spread" $context | nindent 2 }}
  securityContext: {{- include "mlplace.podSecurity" (dict "user" 10001) | nindent 4 }}
  terminationGracePeriodSeconds: {{ include "mlplace.graceSeconds" $context }}
  {{- if $root.Values.evaluation }}
  initContainers:
    {{- include "mlplace.waitForSchema" . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ $service }}
      {{- include "mlplace.containerImage" (dict "root" $root "name" $service "image" $values.image) | nindent 6 }}
      {{- if $isGate }}
      command: [sh, -c, {{ include "mlplace.gateCommand" $root | quote }}]
      {{- end }}
      securityContext: {{- include "mlplace.containerSecurity" . | nindent 8 }}
      env: {{- include "mlplace.serviceEnvironment" $context | nindent 8 }}
      {{- with $values.extraEnvFrom }}
      envFrom: {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        {{- if $isGate }}
        - { name: grpc, containerPort: 8090 }
        {{- if include "mlplace.gatesUseTls" $root }}
        - { name: grpc-internal, containerPort: 8091 }
        {{- end }}
        {{- end }}
      {{- include "mlplace.probes" (dict "port" "http") | nindent 6 }}
      lifecycle:
        preStop: { exec: { command: [sleep, {{ $root.Values.endpointSeconds | quote }}] } } # until no proxy sends new connections
      resources: {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if $isGate }}
        - { name: usage, mountPath: /var/lib/mlplace }
        {{- if include "mlplace.gatesUseTls" $root }}
        - { name: grpc-tls, mountPath: /etc/mlplace/tls, readOnly: true }
        {{- end }}
        {{- end }}
        {{- if and (eq $service "mlpcore") $root.Values.license.existingSecret }}
        - { name: license, mountPath: /etc/mlplace/license, readOnly: true }
        {{- end }}
        {{- include "mlplace.certificateMounts" $root | nindent 8 }}
        {{- with $values.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    - { name: tmp, emptyDir: { sizeLimit: {{ $values.temporaryStorage }} } }
    {{- if and $isGate (include "mlplace.gatesUseTls" $root) }}
    - name: grpc-tls
      secret: { secretName: {{ $values.tls.existingSecret | quote }}, defaultMode: 0440 }
    {{- end }}
    {{- if and (eq $service "mlpcore") $root.Values.license.existingSecret }}
    - name: license
      secret: { secretName: {{ $root.Values.license.existingSecret | quote }}, defaultMode: 0440 }
    {{- end }}
    {{- if $root.Values.evaluation }}
    - name: wait
      configMap: { name: {{ include "mlplace.fullname" $root }}-wait-for-schema }
    {{- end }}
    {{- include "mlplace.certificateVolumes" $root | nindent 4 }}
    {{- with $values.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
{{- end -}}

{{/* Seconds from the order to stop until the process is killed. Takes root, component and values. */}}
{{- define "mlplace.graceSeconds" -}}
{{- $seconds := int .root.Values.endpointSeconds -}}
{{- if eq .component "mlpgateway" -}}
{{- /* settling, the edge's connections, running calls, and 15 s to ship usage */ -}}
{{- add $seconds 2 4 (int .values.drainSeconds) 15 -}}
{{- else -}}
{{- add $seconds 40 -}}
{{- end -}}
{{- end -}}
