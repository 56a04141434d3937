#!/usr/bin/env bash
# Test the chart on the cluster of the current kubeconfig: tests/kubernetes/run.sh CHECKOUT STEP [pytest options]
#   install     an evaluation in a namespace of its own; CHECKOUT gets .data/demo.json
#   acceptance  the main job
#   operations  the previous release and back, kills, drain and rollback under load, and a restored backup
#   own-stores  a second release on the evaluation's stores, whose services stop
#   uninstall   leaves only what the notes say
# The cluster has one node, this machine, whose address MLP_NODE pods reach, too, and has the images of MLP_VERSION,
# among them that of previous_release.py.
set -euo pipefail
checkout=$(cd "$1" && pwd) step=$2
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export MLP_RELEASE=mlplace MLP_NAMESPACE=mlplace-test MLP_NODE=${MLP_NODE:?} MLP_VERSION=${MLP_VERSION:?}
http_port=30880 grpc_port=30890 first_gate_port=30900
url=http://localhost:$http_port

run() { kubectl --namespace "$MLP_NAMESPACE" "$@"; }

install() {
    helm install "$MLP_RELEASE" helm/mlplace --namespace "$MLP_NAMESPACE" --create-namespace --set evaluation=true \
        --set publicUrl="$url" --set image.tag="$MLP_VERSION" --set edge.service.type=NodePort \
        --set edge.service.httpNodePort=$http_port --set edge.service.grpcNodePort=$grpc_port --set edge.service.externalTrafficPolicy=Cluster \
        --set mlpgateway.outside.mode=loadBalancer --set mlpgateway.outside.loadBalancer.host="$MLP_NODE" \
        --set mlpgateway.outside.loadBalancer.firstPort=$first_gate_port \
        --set mlpgateway.outside.loadBalancer.serviceType=NodePort --set mlpgateway.outside.loadBalancer.externalTrafficPolicy=Cluster \
        --set mlpgateway.drainSeconds=20 --set mlpgateway.resources.requests.cpu=100m \
        --wait --timeout 8m >/dev/null
    mkdir -p "$checkout/.data"
    run exec "$MLP_RELEASE-demo-0" --container agent -- cat /var/lib/mlplace/demo.json >"$checkout/.data/demo.json"
}

tests() {
    MLP_ACCEPTANCE_CHECKOUT=$checkout MLP_ACCEPTANCE_URL=$url MLP_ACCEPTANCE_GRPC=localhost:$grpc_port \
        .venv/bin/python tools/run_tests.py pytest -p no:cacheprovider -rfEP -vv "$@"
}

# The evaluation's own pods are not needed any more, and leave the processors to the second release.
own_stores() {
    run scale deployment,statefulset --replicas=0 --selector \
        "app.kubernetes.io/instance=$MLP_RELEASE,app.kubernetes.io/component notin (postgresql,kafka,redis,s3)" >/dev/null
    tests tests/kubernetes/test_own_stores.py "$@"
}

# Nothing but the Secrets and volumes that the notes name, and what Kubernetes itself puts into a namespace.
uninstall() {
    local left
    helm uninstall "$MLP_RELEASE" --namespace "$MLP_NAMESPACE" --wait --timeout 5m >/dev/null
    run wait pod --selector "app.kubernetes.io/instance=$MLP_RELEASE" --for delete --timeout 3m >/dev/null
    left=$(run get all,configmap,serviceaccount,role,rolebinding,networkpolicy,poddisruptionbudget,secret,persistentvolumeclaim \
        --output name | grep -vxE 'configmap/kube-root-ca.crt|serviceaccount/default' | sort)
    printf '%s\n' "$left"
    [ "$(grep -v '^persistentvolumeclaim/' <<<"$left")" = "$(printf 'secret/%s\n' "$MLP_RELEASE-keys" "$MLP_RELEASE-stores")" ]
    run delete secret,persistentvolumeclaim --selector "app.kubernetes.io/instance=$MLP_RELEASE" --wait >/dev/null
    [ -z "$(run get secret,persistentvolumeclaim --output name)" ]
    kubectl delete namespace "$MLP_NAMESPACE" --wait >/dev/null
}

case $step in
    install) install ;;
    acceptance) tests --ignore=tests/acceptance/test_http_service.py tests/acceptance "$@" ;; # as in compose
    operations) tests --ignore=tests/kubernetes/test_own_stores.py tests/kubernetes "$@" ;;
    own-stores) own_stores "$@" ;;
    uninstall) uninstall ;;
    *) sed -n '2,9p' "$0" >&2; exit 2 ;;
esac
